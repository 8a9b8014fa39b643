/** A server that may open no further file refuses for the moment, and works again afterwards. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Server, temporaryFolder } from './programs.js';
import type { IncomingMessage } from 'node:http';

test('out of file descriptors, a commit is refused with 503 and can be repeated', { skip: !hasPrlimit() && 'needs prlimit' }, async t => {
  const server = await Server.start(temporaryFolder(t));
  t.after(() => server.kill());
  const api = server.client();
  const { url } = server;
  await api.createRepository({ body: { name: 'repo', storage_namespace: 'local://repo' } });
  await api.uploadObject({ repository: 'repo', branch: 'main', path: 'a', body: Buffer.from('a') });
  // One connection, since further ones could not be accepted.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const commit = async (): Promise<{ status: number | undefined; body: string }> => {
    const sent = request(`${url}/api/v1/repositories/repo/branches/main/commits`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      auth: `${server.setting('access_key_id')}:${server.setting('secret_access_key')}`,
    });
    sent.end(JSON.stringify({ message: 'm', allow_empty: true }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: await text(answer) };
  };
  const limit = (files: string): void => {
    execFileSync('prlimit', ['--pid', String(server.process.child.pid), `--nofile=${files}`]);
  };
  assert.equal((await commit()).status, 201);
  await api.uploadObject({ repository: 'repo', branch: 'main', path: 'b', body: Buffer.from('b') });
  assert.equal((await commit()).status, 201);
  await api.uploadObject({ repository: 'repo', branch: 'main', path: 'c', body: Buffer.from('c') });
  const before = execFileSync('prlimit', ['--pid', String(server.process.child.pid), '--nofile', '--noheadings', '-o', 'SOFT'])
    .toString()
    .trim();
  // Standard input, output and error have these three.
  limit('3:');
  const refused = await commit();
  limit(`${before}:`);
  assert.deepEqual([refused.status, JSON.parse(refused.body)], [503, { message: refusedText }]);
  assert.equal((await commit()).status, 201);
  const { results } = await api.listObjects({ repository: 'repo', ref: 'main@' });
  assert.deepEqual(
    results.map(({ path }) => path),
    ['a', 'b', 'c'],
  );
});

const refusedText = 'a backend of the server cannot be reached, try again later: too many files are open';

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version']);
    return true;
  } catch {
    return false;
  }
}
