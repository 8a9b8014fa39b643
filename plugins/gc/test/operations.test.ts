/** The operations of the API, called by the typed client on a whole server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, createClient } from '@srv/lib-operations/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';

const refused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

it('rules and preparation answer as clients expect', async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['gc'] });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  await kernel.services.get('catalog').createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  const repository = 'lakes';

  await assert.rejects(client.getGCRules({ repository }), refused(404));
  const rules = { default_retention_days: 14, branches: [{ branch_id: 'main', retention_days: 21 }] };
  assert.equal((await client.call('setGCRules', { repository, body: rules })).status, 204);
  assert.deepEqual(await client.getGCRules({ repository }), rules);
  assert.deepEqual(await client.internalGetGarbageCollectionRules({ repository }), rules);
  await client.internalSetGarbageCollectionRules({ repository, body: { ...rules, branches: [] } });
  assert.deepEqual((await client.getGCRules({ repository })).branches, []);
  for (const bad of [
    { ...rules, default_retention_days: -1 },
    { ...rules, branches: [...rules.branches, ...rules.branches] },
  ])
    await assert.rejects(client.setGCRules({ repository, body: bad }), refused(400));
  const more = {
    ...rules,
    tags: { keep: 'none' as const },
    keep_last_commits: 2,
    branch_patterns: [{ pattern: 'r-*', retention_days: 1 }],
  };
  await client.setGCRules({ repository, body: more });
  assert.deepEqual(await client.getGCRules({ repository }), more);
  await client.setGarbageCollectionRulesPreflight({ repository });
  assert.equal((await client.call('deleteGCRules', { repository })).status, 204);
  assert.equal((await client.call('internalDeleteGarbageCollectionRules', { repository })).status, 204);

  // No rules are never a 404 here: some collectors then take every object for garbage.
  const sync = await client.call('prepareGarbageCollectionCommits', { repository });
  assert.equal(sync.status, 201);
  assert.equal(sync.data.gc_commits_presigned_url, undefined);
  const { status, data } = await client.call('prepareGarbageCollectionCommitsAsync', { repository });
  assert.equal(status, 202);
  let found = await client.prepareGarbageCollectionCommitsStatus({ repository, id: data.id });
  while (!found.completed) {
    await sleep(10);
    found = await client.prepareGarbageCollectionCommitsStatus({ repository, id: data.id });
  }
  assert.match(found.result?.gc_commits_location ?? '', /^local:\/\/\/.*\/commits\.csv$/);
  const page = await client.call('prepareGarbageCollectionUncommitted', { repository });
  assert.equal(page.status, 201);
  assert.equal(page.data.gc_uncommitted_location, '');
  await client.prepareGarbageCollectionUncommitted({ repository, body: {} });
  await assert.rejects(client.prepareGarbageCollectionUncommitted({ repository, body: { continuation_token: 'x' } }), refused(400));
  assert.deepEqual(await client.getGarbageCollectionConfig({}), { grace_period: 86_400 });
  await assert.rejects(client.prepareGarbageCollectionCommitsAsync({ repository: 'missing' }), refused(404));
});
