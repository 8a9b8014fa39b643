/** The operations and commands on a whole server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';

const repository = 'lakes';
const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

async function open(t: TestContext) {
  const { url, kernel, key, stop } = await startSrv({
    plugins: ['search'],
    config: { 'search.period': '10h', 'auth.ui_config.rbac': 'internal' },
  });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const { services } = kernel;
  const engine = services.get('engine');
  await engine.createRepository({ id: repository, storageNamespace: 'local://lakes' });
  return { engine, client, url, services };
}

it('settings are replaced only in the state that was read, where the request names one', async t => {
  const { client } = await open(t);
  const read = async () => String((await client.call('getSearchSettings', { repository })).headers['etag']);
  const set = (branches: readonly string[], ifMatch: string) =>
    client.setSearchSettings({ repository, body: { branches: [...branches] }, 'If-Match': ifMatch });
  assert.equal(await read(), '');
  const outcomes = await Promise.allSettled([set(['main'], ''), set(['dev'], '')]);
  assert.deepEqual(
    outcomes.map(({ status }) => status).sort((a, b) => a.localeCompare(b)),
    ['fulfilled', 'rejected'],
  );
  await assert.rejects(set(['dev'], ''), refused(412, /changed meanwhile; read them again/));
  await set(['main', 'dev'], await read());
  await set(['dev'], `"${await read()}"`);
  await client.setSearchSettings({ repository, body: { branches: ['main'] } });
  assert.deepEqual(await client.getSearchSettings({ repository }), { branches: ['main'] });
});

it('objects are found, changes and usage are shown', async t => {
  const { engine, client } = await open(t);
  await assert.rejects(client.searchObjects({ repository, ref: 'main', body: {} }), refused(400, /search enable srv:\/\/lakes main/));
  assert.equal((await client.call('setSearchSettings', { repository, body: { branches: ['main'] } })).status, 204);
  assert.deepEqual(await client.getSearchSettings({ repository }), { branches: ['main'] });
  await engine.putObject(repository, 'main', 'a/1.png', Buffer.from('12345'), { contentType: 'image/png', metadata: { label: 'cat' } });
  await engine.putObject(repository, 'main', 'b.txt', Buffer.from('123'));
  const { id, creationDate } = await engine.commit(repository, 'main', { committer: 'ann', message: 'both' });

  const { results } = await client.searchObjects({ repository, ref: 'main', body: { where: 'metadata.label = "cat" and size >= 5B' } });
  assert.deepEqual(
    results.map(({ mtime: _, ...rest }) => rest),
    [
      {
        path: 'a/1.png',
        commit_id: id,
        committer: 'ann',
        size_bytes: 5,
        checksum: '827ccb0eea8a706c4c34a16891f84e7b',
        content_type: 'image/png',
        metadata: { label: 'cat' },
      },
    ],
  );
  const page = await client.searchObjects({ repository, ref: 'main', body: { amount: 1 } });
  assert.deepEqual([page.results.length, page.pagination.has_more, page.pagination.next_offset], [1, true, 'a/1.png']);
  await assert.rejects(client.searchObjects({ repository, ref: 'main', body: { where: 'szie > 1' } }), refused(400, /did you mean size/));
  await assert.rejects(client.searchObjects({ repository, ref: 'nowhere', body: {} }), refused(404, /./));

  await engine.deleteObject(repository, 'main', 'b.txt');
  await engine.commit(repository, 'main', { committer: 'bob', message: 'without b' });
  const journal = await client.getObjectJournal({ repository, ref: 'main' });
  assert.deepEqual(
    journal.results.map(({ committer, operation, path, before, after }) => [
      committer,
      operation,
      path,
      before?.size_bytes,
      after?.size_bytes,
    ]),
    [
      ['bob', 'removed', 'b.txt', 3, undefined],
      ['ann', 'added', 'a/1.png', undefined, 5],
      ['ann', 'added', 'b.txt', undefined, 3],
    ],
  );
  const later = Math.floor(creationDate.getTime() / 1000) + 3600;
  assert.deepEqual((await client.getObjectJournal({ repository, ref: 'main', since: later })).results, []);
  await assert.rejects(
    client.getObjectJournal({ repository, ref: 'main', after: 'x' }),
    refused(400, /"x" is not a position in a journal/),
  );

  await engine.createBranch(repository, 'dev', id);
  assert.deepEqual((await client.getPrefixUsage({ repository, ref: 'dev' })).results, [
    { path: 'a/', path_type: 'common_prefix', objects: 1, size_bytes: 5, unique_objects: 0, unique_size_bytes: 0 },
    { path: 'b.txt', path_type: 'object', objects: 1, size_bytes: 3, unique_objects: 1, unique_size_bytes: 3 },
  ]);
  assert.equal((await client.call('rebuildSearch', { repository })).status, 202);
  assert.deepEqual(
    (await client.searchObjects({ repository, ref: 'main', body: {} })).results.map(({ path }) => path),
    ['a/1.png'],
  );
  const status = await client.getSearchStatus({ repository });
  assert.deepEqual([status.patterns, status.branches.map(({ branch, indexed }) => [branch, indexed])], [['main'], [['main', true]]]);
});

it('each operation wants the rights of what it shows', async t => {
  const { client, services, url } = await open(t);
  await client.setSearchSettings({ repository, body: { branches: ['main'] } });
  const auth = services.get('auth');
  await auth.createUser({ username: 'tester' });
  const tester = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...(await auth.createCredential('tester')) });
  t.after(() => tester.close());
  const allow = (...action: string[]) => [{ effect: 'allow' as const, action, resource: 'arn:lakefs:fs:::repository/lakes' }];
  const calls = {
    search: () => tester.searchObjects({ repository, ref: 'main', body: {} }),
    journal: () => tester.getObjectJournal({ repository, ref: 'main' }),
    usage: () => tester.getPrefixUsage({ repository, ref: 'main' }),
    settings: () => tester.getSearchSettings({ repository }),
    set: () => tester.setSearchSettings({ repository, body: { branches: ['main'] } }),
    status: () => tester.getSearchStatus({ repository }),
    rebuild: () => tester.rebuildSearch({ repository }),
  };
  await auth.createPolicy('exact', allow('fs:ReadConfig'));
  await auth.attachToUser('tester', 'exact');
  for (const [actions, allowed] of [
    [['fs:ReadConfig'], []],
    [['fs:ListObjects'], ['search']],
    [
      ['fs:ListObjects', 'fs:ListCommits'],
      ['search', 'journal'],
    ],
    [
      ['fs:ListObjects', 'fs:ListBranches'],
      ['search', 'usage'],
    ],
    [['fs:ReadRepository'], ['settings']],
    [
      ['fs:ReadRepository', 'fs:ListBranches'],
      ['settings', 'status'],
    ],
    [['fs:UpdateRepository'], ['set', 'rebuild']],
  ] as const) {
    await auth.updatePolicy('exact', allow(...actions));
    const found: string[] = [];
    for (const [name, call] of Object.entries(calls))
      await call().then(
        () => found.push(name),
        (error: unknown) => assert.ok(error instanceof ApiError && error.status === 401, `${name}: ${String(error)}`),
      );
    assert.deepEqual(found, allowed, actions.join(', '));
  }
});
