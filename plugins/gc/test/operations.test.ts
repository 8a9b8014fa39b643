/** The operations of the API, called by the typed client on a whole server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';
import { ageless, temporaryFolder } from './fixture.js';

const refused =
  (status: number, message = /./) =>
  (error: unknown) =>
    error instanceof ApiError && error.status === status && message.test(error.message);

it('rules and preparation answer as clients expect', async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['gc'], config: { 'gc.cache_dir': await temporaryFolder(t) } });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  await kernel.services.get('engine').createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  const repository = 'lakes';

  await assert.rejects(client.getGCRules({ repository }), refused(404));
  await assert.rejects(
    client.setGCRules({ repository, body: { default_retention_days: 1, branches: [] }, 'If-Match': 'other' }),
    refused(412),
  );
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
  const read = async () => String((await client.call('getGCRules', { repository })).headers['etag']);
  const etag = await read();
  const set = (days: number, ifMatch: string) =>
    client.setGCRules({ repository, body: { default_retention_days: days, branches: [] }, 'If-Match': ifMatch });
  await assert.rejects(set(3, ''), refused(412));
  const outcomes = await Promise.allSettled([set(3, etag), set(4, etag)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status).sort((a, b) => a.localeCompare(b)),
    ['fulfilled', 'rejected'],
  );
  await assert.rejects(set(5, etag), refused(412));
  await set(6, `"${await read()}"`);
  await client.setGarbageCollectionRulesPreflight({ repository });
  assert.equal((await client.call('deleteGCRules', { repository })).status, 204);
  assert.equal((await client.call('internalDeleteGarbageCollectionRules', { repository })).status, 204);

  await assert.rejects(
    client.getGCRules({ repository }),
    refused(404, /repository lakes has no garbage collection rules: .*gc set-config/),
  );
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

  // Clients that would delete uploads under way get a clear refusal, never 404 or 500, which they misread.
  const authorization = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
  const prepare = (path: string, version: string): Promise<Response> =>
    fetch(`${url}/api/v1/repositories/lakes/gc/${path}`, {
      method: 'POST',
      headers: { authorization, 'x-lakefs-client': `lakefs-metaclient/${version}/unified_gc` },
    });
  for (const path of ['prepare_commits', 'prepare_commits/async', 'prepare_uncommited'])
    for (const [version, accepted] of [
      ['0.19.9', false],
      ['0.6.0', false],
      ['0.20.0', true],
      ['0.22.0-rc1', true],
      ['1.0.0', true],
      ['dev', true],
    ] as const) {
      const answer = await prepare(path, version);
      assert.equal(answer.ok, accepted, `${path} ${version}: ${answer.status}`);
      if (!accepted) assert.deepEqual([answer.status, /use version 0\.20\.0 or later/.test(await answer.text())], [400, true]);
    }
  const lenient = await startSrv({ plugins: ['gc'], config: { 'gc.cache_dir': await temporaryFolder(t), 'gc.accept_old_clients': true } });
  t.after(lenient.stop);
  assert.doesNotThrow(() => lenient.kernel.services.get('gc').checkClient('lakefs-metaclient/0.6.0/unified_gc'));
});

it('runs answer what they did, and a read of what they removed names them', async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['gc'], config: { ...ageless, 'gc.cache_dir': await temporaryFolder(t) } });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const repository = 'lakes';
  const catalog = kernel.services.get('engine');
  await catalog.createRepository({ id: repository, storageNamespace: 'local://lakes' });
  await client.setGCRules({ repository, body: { default_retention_days: 1, branches: [] } });
  const { address } = await catalog.putObject(repository, 'main', 'x', Buffer.from('x'));
  const old = await catalog.commit(repository, 'main', { committer: 't', message: 'm', date: new Date(Date.now() - 9 * 86_400_000) });
  await catalog.deleteObject(repository, 'main', 'x');
  await catalog.commit(repository, 'main', { committer: 't', message: 'm', date: new Date(Date.now() - 8 * 86_400_000) });
  await sleep(5);
  const follow = async (id: string) => {
    for (;;) {
      const run = await client.getGarbageCollection({ repository, run: id });
      if (run.phase !== 'marking' && run.phase !== 'sweeping') return run;
      await sleep(10);
    }
  };
  const marked = await follow((await client.startGarbageCollection({ repository, body: { mode: 'mark' } })).id);
  assert.deepEqual([marked.phase, marked.candidates, marked.error], ['marked', 1, undefined]);
  assert.deepEqual((await client.listGarbage({ repository, run: marked.id })).results, [address]);
  const swept = await follow((await client.sweepGarbage({ repository, run: marked.id, body: { quarantine_days: 2 } })).id);
  assert.deepEqual([swept.phase, swept.deleted], ['done', 1]);
  const runs = await client.listGarbageCollections({ repository });
  assert.deepEqual(
    runs.results.map(run => run.id),
    [swept.id, marked.id],
  );
  const auth = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
  const read = (): Promise<Response> =>
    fetch(`${url}/api/v1/repositories/${repository}/refs/${old.id}/objects?path=x`, { headers: { authorization: auth } });
  const gone = await read();
  assert.equal(gone.status, 410);
  assert.match(await gone.text(), new RegExp(`No data: it was collected as garbage by run ${swept.id}`));
  const explained = await client.explainGarbage({ repository, address });
  assert.deepEqual([explained.exists, explained.kept_by, explained.collected_by], [false, [], swept.id]);
  assert.deepEqual(await client.restoreGarbage({ repository, run: swept.id }), { objects: 1 });
  assert.equal(await (await read()).text(), 'x');
  await assert.rejects(client.cancelGarbageCollection({ repository, run: swept.id }), refused(409));
  await assert.rejects(client.getGarbageCollection({ repository, run: 'coddo7tpocvs73ftd7u0' }), refused(404));
  await assert.rejects(client.purgeNamespace({ body: { storage_namespace: 'local://lakes' } }), refused(409));
});
