/** Many large requests at a time, at a server with little memory: it answers each, or asks for patience. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ServedHome, launchServer, temporaryFolder, untilUp } from './programs.js';

it('40 bodies of 2 MB do not exceed a heap of 128 MB', async t => {
  const home = temporaryFolder(t);
  const process = launchServer(home, '127.0.0.1:0', { NODE_OPTIONS: '--max-old-space-size=128' });
  const server = new ServedHome(home, await untilUp(process), process);
  t.after(() => process.end('SIGTERM'));
  const api = server.client();
  t.after(() => api.close());
  await api.createRepository({ body: { name: 'zoo', storage_namespace: 'local://zoo' } });
  const authorization = `Basic ${btoa(`${server.setting('access_key_id')}:${server.setting('secret_access_key')}`)}`;
  const send = (path: string, type: string, body: string) =>
    fetch(`${server.url}/api/v1/repositories/zoo/branches/main/${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    });
  // Objects with many keys take most memory for their length, and commits keep theirs while they wait for one another.
  const keys = Array.from({ length: 180_000 }, (_, i) => `"${i.toString(36)}":""`).join(',');
  const message = `{"message":"m","metadata":{${keys}}}`;
  const statuses = new Map<number, number>();
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const response = await send('commits', 'application/json', message);
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }),
  );
  assert.deepEqual(
    [...statuses.keys()].filter(status => ![400, 503].includes(status)),
    [],
    JSON.stringify([...statuses]),
  );
  assert.ok((statuses.get(400) ?? 0) > 0, JSON.stringify([...statuses]));
  assert.equal((await fetch(`${server.url}/_health`)).status, 200);
  assert.equal(process.child.exitCode, null);
});
