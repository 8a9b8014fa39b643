/** Which event carries what: the matrix of the actions sheet, section 4.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, isSrvError } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { PinnedKv, instance, key, newRepository, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { EventRecord, EventType, KvStore } from '@srv/kernel';

const actions = ['commit', 'merge', 'revert', 'cherry-pick', 'create-branch', 'delete-branch', 'create-tag', 'delete-tag'] as const;
const types: readonly EventType[] = ['prepare-commit', ...actions.flatMap(a => [`pre-${a}`, `post-${a}`] as const)];

async function open(kv: KvStore = new MemoryKvStore()) {
  const running = instance(kv, new MemoryCommitted());
  const seen: EventRecord[] = [];
  for (const type of types) running.hooks.event.for(type).tap('test', event => void seen.push(event));
  const repository = await running.service.addRepository(newRepository());
  const put = (branch: string, path: string) => running.service.set(repository, branch, key(path), value(path));
  return { ...running, repository, seen, put };
}

/** What the matrix says of an event, without the facts of the commit. */
function facts({
  runId: _,
  repository: __,
  storageNamespace: ___,
  storageId: ____,
  instanceUid: _____,
  preRunId,
  commit,
  ...rest
}: EventRecord): object {
  const message = commit?.message;
  return { ...rest, ...(preRunId === undefined ? {} : { linked: true }), ...(message === undefined ? {} : { message }) };
}

test('every event carries its source ref, names, commit and user, in order', async () => {
  const { service, repository, seen, put, stop } = await open();
  const user = 'ann';
  const by = { committer: 'ann@example.com', user };
  const root = (await service.getBranch(repository, 'main')).commitId;

  await service.createBranch(repository, 'dev', 'main', { user });
  await put('dev', 'a');
  const made = await service.commit(repository, 'dev', { ...by, message: 'one', metadata: { k: 'v' } });
  const merged = await service.merge(repository, 'dev', 'main', { ...by, squash: true });
  const reverted = await service.revert(repository, 'main', { ...by, ref: 'main' });
  const picked = await service.cherryPick(repository, 'main', { ...by, ref: 'dev' });
  await service.createTag(repository, 'v1', 'dev', { user });
  await service.deleteTag(repository, 'v1', { user });
  await service.deleteBranch(repository, 'dev', { user });
  await stop();

  const branch = 'main';
  const created = { sourceRef: 'main', branch: 'dev', commitId: root, user };
  const deleted = { sourceRef: made.id, branch: 'dev', user };
  const tag = { sourceRef: made.id, tag: 'v1', commitId: made.id, user };
  const merge = { branch, commitId: merged.id, mergeSource: 'dev', user, message: "Merge 'dev' into 'main'" };
  const revert = { branch, user, message: 'Revert main' };
  const pick = { branch, user, message: 'one' };
  const commit = { branch: 'dev', user, message: 'one' };
  assert.deepEqual(seen.map(facts), [
    { type: 'pre-create-branch', ...created },
    { type: 'post-create-branch', ...created, linked: true },
    { type: 'prepare-commit', sourceRef: 'dev', ...commit },
    { type: 'pre-commit', sourceRef: 'dev', ...commit },
    { type: 'post-commit', sourceRef: made.id, commitId: made.id, ...commit, linked: true },
    { type: 'pre-merge', sourceRef: made.id, ...merge },
    { type: 'post-merge', sourceRef: merged.id, ...merge, linked: true },
    { type: 'pre-revert', sourceRef: 'main', ...revert },
    { type: 'post-revert', sourceRef: reverted.id, commitId: reverted.id, ...revert, linked: true },
    { type: 'pre-cherry-pick', sourceRef: 'main', ...pick },
    { type: 'post-cherry-pick', sourceRef: picked.id, commitId: picked.id, ...pick, linked: true },
    { type: 'pre-create-tag', ...tag },
    { type: 'post-create-tag', ...tag, linked: true },
    { type: 'pre-delete-tag', ...tag },
    { type: 'post-delete-tag', ...tag, linked: true },
    { type: 'pre-delete-branch', ...deleted },
    { type: 'post-delete-branch', ...deleted, linked: true },
  ]);
  for (const event of seen.filter(({ preRunId }) => preRunId !== undefined))
    assert.equal(seen.find(({ runId }) => runId === event.preRunId)?.type, event.type.replace('post', 'pre'));
  const ids = seen.map(({ runId }) => runId);
  assert.deepEqual(ids, ids.toSorted().reverse(), 'newer runs come first');
  const of = (type: EventType) => seen.find(event => event.type === type)?.commit;
  assert.deepEqual(of('pre-commit')?.metadata, { k: 'v' });
  assert.equal(of('pre-merge')?.metadata?.['.lakefs.merge.strategy'], 'default');
  assert.equal(of('pre-cherry-pick')?.metadata?.['cherry-pick-origin'], made.id);
  assert.ok((await service.getCommit(repository, merged.id)).committer === by.committer);
});

test('read-only repositories have no events, even when forced', async () => {
  const { service, seen, stop } = await open();
  const repository = await service.addRepository({ ...newRepository('fixed'), readOnly: true });
  await service.createBranch(repository, 'dev', 'main', { force: true });
  await service.commit(repository, 'dev', { committer: 'c', message: 'm', allowEmpty: true, force: true });
  await stop();
  assert.deepEqual(seen, []);
});

test('refusals begin as clients compare them, and change nothing', async () => {
  const { service, repository, hooks, put, stop } = await open();
  await put('main', 'a');
  await service.commit(repository, 'main', { committer: 'c', message: 'one' });
  await service.createBranch(repository, 'dev', 'main~1');
  await put('dev', 'b');
  await service.commit(repository, 'dev', { committer: 'c', message: 'two' });
  await service.createTag(repository, 'v1', 'main');
  let error = new SrvError('hook_aborted', 'no');
  for (const type of types.filter(type => type.startsWith('pre')))
    hooks.event.for(type).tapPromise('refusing', () => Promise.reject(error));
  const c = { committer: 'c' };
  const changes: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
    [/^prepare-commit hook aborted: no$/, () => service.commit(repository, 'main', { ...c, message: 'm', allowEmpty: true })],
    [/^update branch main: pre-merge hook aborted: /, () => service.merge(repository, 'dev', 'main', c)],
    [/^update branch: pre-revert hook aborted: /, () => service.revert(repository, 'main', { ...c, ref: 'main' })],
    [/^update branch: pre-cherry-pick hook aborted: /, () => service.cherryPick(repository, 'main', { ...c, ref: 'dev' })],
    [/^pre-create-branch hook aborted: /, () => service.createBranch(repository, 'new', 'main')],
    [/^pre-delete-branch hook aborted: /, () => service.deleteBranch(repository, 'dev')],
    [/^pre-create-tag hook aborted: /, () => service.createTag(repository, 'v2', 'main')],
    [/^pre-delete-tag hook aborted: /, () => service.deleteTag(repository, 'v1')],
  ];
  // A merge that is refused has given the branch a new partition for writes.
  const branches = async () => (await service.listBranches(repository)).results.map(branch => ({ ...branch, stagingToken: '' }));
  const state = async () => [await branches(), await service.listTags(repository)];
  const before = await state();
  for (const [text, change] of changes)
    await assert.rejects(change, thrown => isSrvError(thrown, 'hook_aborted') && text.test(thrown.message));
  assert.deepEqual(await state(), before);
  error = new SrvError('hook_aborted', 'no', { details: { runId: 'r' } });
  await assert.rejects(service.deleteTag(repository, 'v1'), /: pre-delete-tag hook aborted, run id '[0-9a-v]{20}': no$/, 'a run is named');
  error = new SrvError('unavailable', 'the database cannot be reached');
  await assert.rejects(service.deleteTag(repository, 'v1'), thrown => isSrvError(thrown, 'unavailable'));
  await stop();
});

test('while a pin takes its time no second ref gets the name, whichever is made first', async () => {
  for (const [first, second] of [
    ['createBranch', 'createTag'],
    ['createTag', 'createBranch'],
  ] as const) {
    const kv = new PinnedKv();
    const { service, repository, stop } = await open(kv);
    let other: Promise<unknown> | undefined;
    // As while a collector removes a batch.
    kv.onPin = async () => {
      if (other) return;
      other = service[second](repository, 'same', 'main');
      await other;
    };
    await assert.rejects(service[first](repository, 'same', 'main'), { code: 'conflict', message: /(tag ID|branch name) same/ });
    await other;
    const refs = [await service.listBranches(repository), await service.listTags(repository)].map(({ results }) =>
      results.map(({ id }) => id),
    );
    assert.deepEqual(refs, second === 'createTag' ? [['main'], ['same']] : [['main', 'same'], []]);
    await stop();
  }
});

test('while a hook takes its time no second ref gets the name', async () => {
  const { service, repository, hooks, stop } = await open();
  let other: Promise<unknown> = Promise.resolve();
  hooks.event.for('pre-create-branch').tapPromise('slow', async ({ branch = '' }) => {
    if (branch === 'same') other = service.createTag(repository, branch, 'main');
    await other;
  });
  hooks.event.for('pre-create-tag').tapPromise('slow', async ({ tag = '' }) => {
    if (tag === 'other') await service.createBranch(repository, tag, 'main');
  });
  await assert.rejects(service.createBranch(repository, 'same', 'main'), { code: 'conflict', message: /tag ID same/ });
  await other;
  await assert.rejects(service.createTag(repository, 'other', 'main'), { code: 'conflict', message: /branch name other/ });
  assert.deepEqual(
    (await service.listTags(repository)).results.map(({ id }) => id),
    ['same'],
  );
  assert.deepEqual(
    (await service.listBranches(repository)).results.map(({ id }) => id),
    ['main', 'other'],
  );
  await stop();
});
