/** Patterns of users that take exponential time as regular expressions: the server answers at once, and everyone else, too. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Server, temporaryFolder } from './programs.js';

const pattern = '*a*a*a*a*a*ab';
const branch = 'a'.repeat(196);
const action = `name: hostile
on: { pre-commit: { branches: ["${pattern}"] } }
hooks:
  - { id: never, type: webhook, properties: { url: "http://127.0.0.1:1/" } }
`;

it('patterns in rules and actions are matched in linear time', async t => {
  const server = await Server.start(temporaryFolder(t));
  t.after(() => server.process.end('SIGTERM'));
  const api = server.client();
  t.after(() => api.close());
  const repository = 'zoo';
  /** Health is asked while the call runs: a server that is busy for ever answers neither. */
  const answered = async <T>(call: Promise<T>): Promise<T> => {
    const [result, health] = await Promise.all([call, fetch(`${server.url}/_health`, { signal: AbortSignal.timeout(30_000) })]);
    assert.equal(health.status, 200);
    return result;
  };
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        authorization: `Basic ${btoa(`${server.setting('access_key_id')}:${server.setting('secret_access_key')}`)}`,
        'content-type': typeof body === 'string' ? 'application/octet-stream' : 'application/json',
      },
      signal: AbortSignal.timeout(30_000),
    });
  const expect = async (status: number, ...request: Parameters<typeof send>): Promise<void> => {
    const response = await answered(send(...request));
    assert.equal(response.status, status, await response.text());
  };

  await api.createRepository({ body: { name: repository, storage_namespace: 'local://zoo' } });
  await api.createBranch({ repository, body: { name: branch, source: 'main' } });
  const branchPath = `/repositories/${repository}/branches/${branch}`;
  await expect(204, 'PUT', `/repositories/${repository}/settings/branch_protection`, [{ pattern }]);
  await expect(201, 'POST', `${branchPath}/objects?path=_lakefs_actions%2Fhostile.yaml`, action);
  await expect(201, 'POST', `${branchPath}/commits`, { message: 'the action is not for this branch' });

  await expect(204, 'PUT', `/repositories/${repository}/settings/gc_rules`, {
    default_retention_days: 1,
    branches: [],
    branch_patterns: [{ pattern, retention_days: 2 }],
  });
  await expect(201, 'POST', `/repositories/${repository}/gc/prepare_commits`);
});
