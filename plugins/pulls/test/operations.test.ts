/** The operations of the API, called by the typed client on a whole server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';
import type {} from '@srv/engine/contract';

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

it('opens, shows, closes and merges pull requests, and refuses a merge that conflicts', async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['pulls'] });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const engine = kernel.services.get('engine');
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  for (const branch of ['left', 'right', 'apart']) {
    await engine.createBranch('lakes', branch, 'main');
    await engine.putObject('lakes', branch, branch === 'apart' ? 'a' : 'b', Buffer.from(branch), {});
    await engine.commit('lakes', branch, { committer: 'admin', message: branch });
  }
  const open = (source: string, destination: string) =>
    client.createPullRequest({ repository: 'lakes', body: { title: source, source_branch: source, destination_branch: destination } });
  const { id } = await open('left', 'right');
  await client.mergePullRequest({ repository: 'lakes', pull_request: (await open('apart', 'right')).id });
  const place = { repository: 'lakes', pull_request: id };
  await assert.rejects(client.mergePullRequest(place), refused(409, /^conflict found$/));
  await assert.rejects(
    client.updatePullRequest({ ...place, body: { status: 'odd' } }),
    refused(400, /invalid pull request status: validation error/),
  );
  await client.updatePullRequest({ ...place, body: { status: 'Closed' } });
  const shown = await client.getPullRequest(place);
  assert.equal(shown.status, 'closed');
  assert.match(shown.creation_date, /^\d{4}-\d\d-\d\dT/);
  const { results } = await client.listPullRequests({ repository: 'lakes', status: 'closed' });
  assert.deepEqual(results.map(({ status }) => status).sort(), ['closed', 'merged']);
});
