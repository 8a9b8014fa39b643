import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, until } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { decodeBranch, encodeBranch, encodeStaged } from '../../src/refs/messages/index.js';
import { collect, contentsOf, instance, key, newRepository, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { TestContext } from 'node:test';
import type { ErrorCode, EventRecord } from '@srv/kernel';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { Instance } from './fixture.js';

interface Fixture extends Instance {
  readonly repository: Repository;
  readonly kv: MemoryKvStore;
  put(branch: string, ...texts: string[]): Promise<void>;
  commit(branch: string, message?: string): ReturnType<Refs['commit']>;
}

async function open(t: TestContext, kv = new MemoryKvStore()): Promise<Fixture> {
  const running = instance(kv, new MemoryCommitted());
  t.after(() => running.stop());
  const { service } = running;
  const repository = await service.addRepository(newRepository());
  return {
    ...running,
    repository,
    kv,
    async put(branch, ...texts) {
      for (const text of texts) {
        const [path = '', content = text] = text.split('=');
        await service.set(repository, branch, key(path), value(content));
      }
    },
    commit: (branch, message = 'message') => service.commit(repository, branch, { committer: 'tester', message }),
  };
}

const fails = (code: ErrorCode, text: RegExp) => (error: unknown) => isSrvError(error, code) && text.test(error.message);

describe('refs', () => {
  it('resolve by the grammar', async t => {
    const { service, repository, put, commit } = await open(t);
    const first = await service.getBranch(repository, 'main');
    await put('main', 'a');
    const second = await commit('main');
    await put('main', 'b');
    const third = await commit('main');
    await service.createTag(repository, 'v1', 'main~1');
    const resolved = async (ref: string): Promise<string> => (await service.getCommit(repository, ref)).id;
    assert.equal(await resolved('main'), third.id);
    assert.equal(await resolved('main~'), second.id);
    assert.equal(await resolved('main~2'), first.commitId);
    assert.equal(await resolved('main^1~1'), first.commitId);
    assert.equal(await resolved('main~0^0'), third.id);
    assert.equal(await resolved('v1'), second.id);
    assert.equal(await resolved('main@'), third.id);
    assert.equal(await resolved(second.id.slice(0, 12)), second.id);
    await assert.rejects(resolved('main~9'), fails('not_found', /not found/));
    await assert.rejects(resolved('main^2'), fails('invalid', /has 1 parents/));
    await assert.rejects(resolved('v1@'), fails('invalid', /only after the name of a branch/));
    await assert.rejects(resolved('main$'), fails('invalid', /staging area with \$ is not a commit/));
    await assert.rejects(resolved('main~1@'), fails('invalid', /invalid ref/));
    await assert.rejects(resolved('main^-1'), fails('invalid', /invalid ref/));
    await assert.rejects(resolved('nothing'), fails('not_found', /not found/));
  });

  it('names clash across branches, tags and commits', async t => {
    const { service, repository } = await open(t);
    await service.createTag(repository, 'v1', 'main');
    await assert.rejects(service.createBranch(repository, 'v1', 'main'), fails('conflict', /tag ID v1/));
    await assert.rejects(service.createBranch(repository, 'main', 'main'), fails('not_unique', /branch already exists/));
    await assert.rejects(service.createTag(repository, 'main', 'main'), fails('conflict', /branch name main/));
    await assert.rejects(service.createTag(repository, 'v1', 'main'), fails('not_unique', /tag already exists/));
    await assert.rejects(service.createBranch(repository, 'a/b', 'main'), fails('invalid', /"a\/b".*letters, digits/));
    await assert.rejects(service.createTag(repository, 'a..b', 'main'), fails('invalid', /"a\.\.b"/));
    await assert.rejects(service.createBranch(repository, 'x', 'main$'), fails('invalid', /\$/));
    await assert.rejects(service.addRepository(newRepository()), fails('not_unique', /not unique/));
    await assert.rejects(service.addRepository({ ...newRepository(), id: 'No' }), fails('invalid', /"No"/));
  });

  it('a tag moves in one step', async t => {
    const { service, repository, put, commit } = await open(t);
    await service.createTag(repository, 'v1', 'main');
    await put('main', 'a');
    const { id } = await commit('main');
    await service.createTag(repository, 'v1', 'main', { overwrite: true });
    assert.equal((await service.getTag(repository, 'v1')).commitId, id);
  });

  it('branches page, hide and are deleted with their staging', async t => {
    const { service, repository, put, kv } = await open(t);
    for (const name of ['b1', 'b2', 'b3']) await service.createBranch(repository, name, 'main');
    await service.createBranch(repository, 'secret', 'main', { hidden: true });
    const page = await service.listBranches(repository, { amount: 2 });
    assert.deepEqual([page.results.map(b => b.id), page.hasMore, page.nextOffset], [['b1', 'b2'], true, 'b2']);
    const rest = await service.listBranches(repository, { amount: 10, after: 'b2' });
    assert.deepEqual([rest.results.map(b => b.id), rest.hasMore, rest.nextOffset], [['b3', 'main'], false, '']);
    assert.equal((await service.listBranches(repository, { showHidden: true })).results.length, 5);
    await put('b1', 'x');
    const { stagingToken } = await service.getBranch(repository, 'b1');
    await service.deleteBranch(repository, 'b1');
    await assert.rejects(service.getBranch(repository, 'b1'), fails('not_found', /branch not found/));
    await assert.rejects(put('b1', 'y'), fails('not_found', /branch not found/));
    await assert.rejects(service.deleteBranch(repository, 'main'), fails('forbidden', /default branch/));
    await until(async () => (await collect(kv.scan(stagingToken))).length === 0);
  });

  it('a branch has one id until it is deleted, which other programs need not know', async t => {
    const { service, repository, put, commit, kv } = await open(t);
    const idOf = async (): Promise<string | undefined> => (await service.getBranch(repository, 'work')).instanceUid;
    await service.createBranch(repository, 'work', 'main');
    const id = await idOf();
    assert.match(id ?? '', /^[0-9a-v]{20}$/);
    await put('work', 'a');
    await commit('work');
    assert.equal(await idOf(), id);
    await service.deleteBranch(repository, 'work');
    await service.createBranch(repository, 'work', 'main');
    assert.match((await idOf()) ?? '', /^[0-9a-v]{20}$/);
    assert.notEqual(await idOf(), id);
    // A record as it always was.
    const {
      unknown: _,
      instanceUid: __,
      ...plain
    } = decodeBranch(encodeBranch({ ...(await service.getBranch(repository, 'work')), unknown: [] }));
    const record = encodeBranch({ ...plain, unknown: [] });
    assert.deepEqual(decodeBranch(record), { ...plain, unknown: [] });
    await kv.set(partitionOf(repository), Buffer.from('branches/work'), record);
    await put('work', 'b');
    await commit('work');
    assert.equal(await idOf(), undefined);
  });
});

describe('staging and commit', () => {
  it('shows uncommitted writes, commits them, keeps equal content as it was', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'a', 'b', 'c');
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', b: 'b', c: 'c' });
    assert.deepEqual(await contentsOf(service, repository, 'main@'), {});
    const made = await commit('main');
    assert.deepEqual([made.parents.length, made.generation, made.version], [1, 2, 1]);
    await service.delete(repository, 'main', [key('b')]);
    await put('main', 'a', 'd');
    assert.deepEqual(
      (await collect(service.uncommittedRecords(repository, 'main'))).map(d => `${d.type} ${d.key.toString()}`),
      ['removed b', 'added d'],
    );
    await commit('main');
    assert.deepEqual(await contentsOf(service, repository, 'main@'), { a: 'a', c: 'c', d: 'd' });
    await assert.rejects(commit('main'), fails('no_changes', /^commit: no changes$/));
  });

  it('failed commits leave no sealed partitions', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'a');
    await commit('main');
    for (let i = 0; i < 5; i++) {
      await put('main', 'a');
      await assert.rejects(commit('main'), fails('no_changes', /no changes/));
    }
    assert.deepEqual((await service.getBranch(repository, 'main')).sealedTokens, []);
  });

  it('a refusing hook aborts, keeps the writes visible, and does not pile up partitions', async t => {
    const { service, repository, put, commit, hooks } = await open(t);
    let refuse = true;
    hooks.event.for('pre-commit').tapPromise('test', async () => {
      if (refuse) throw new Error('not today');
    });
    for (let i = 0; i < 30; i++) {
      await put('main', `k${i}`);
      await assert.rejects(
        commit('main'),
        fails('hook_aborted', /pre-commit hook aborted: plugin test failed in event\[pre-commit\]: not today/),
      );
    }
    assert.ok((await service.getBranch(repository, 'main')).sealedTokens.length <= 10);
    assert.equal(Object.keys(await contentsOf(service, repository, 'main')).length, 30);
    refuse = false;
    await commit('main');
    assert.equal(Object.keys(await contentsOf(service, repository, 'main@')).length, 30);
  });

  it('partitions of failed commits stay as they are when the branch moves while they are gathered', async t => {
    class MovingStore extends MemoryKvStore {
      refused = 0;

      override async setIf(...write: Parameters<MemoryKvStore['setIf']>): Promise<boolean> {
        const [partition, path, bytes] = write;
        const before = path.toString().startsWith('branches/') ? await this.get(partition, path) : undefined;
        const isGathering =
          before !== undefined && decodeBranch(before.value).sealedTokens.length > decodeBranch(bytes).sealedTokens.length;
        if (!isGathering) return super.setIf(...write);
        this.refused++;
        return false;
      }
    }
    const kv = new MovingStore();
    const { service, repository, put, commit, hooks } = await open(t, kv);
    hooks.event.for('pre-commit').tapPromise('test', async () => {
      throw new Error('not today');
    });
    for (let i = 0; i < 12; i++) {
      await put('main', `k${i}`);
      await assert.rejects(commit('main'), { code: 'hook_aborted' });
    }
    assert.ok(kv.refused > 0);
    const { sealedTokens } = await service.getBranch(repository, 'main');
    const dropped = (await collect(kv.scan('cleanup-tokens'))).flat().map(({ key: token }) => token.toString());
    assert.deepEqual(
      sealedTokens.filter(token => dropped.includes(token)),
      [],
    );
    assert.equal(Object.keys(await contentsOf(service, repository, 'main')).length, 12);
  });

  it('conditional writes decide at the moment of writing', async t => {
    const { service, repository } = await open(t);
    const absent = { condition: (current: unknown) => current === undefined };
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => service.set(repository, 'main', key('one'), value(`v${i}`), absent)),
    );
    assert.equal(results.filter(r => r.status === 'fulfilled').length, 1);
    assert.ok(results.every(r => r.status === 'fulfilled' || isSrvError(r.reason, 'precondition_failed')));
    await service.delete(repository, 'main', [key('one')]);
    await service.set(repository, 'main', key('one'), value('again'), absent);
  });

  it('a conditional delete takes what it describes, and nothing written meanwhile', async t => {
    const { service, repository, put, commit } = await open(t);
    const is = (text: string) => (current: { readonly identity: Buffer }) => current.identity.toString() === text;
    await put('main', 'kept', 'gone');
    await commit('main');
    await assert.rejects(service.deleteIf(repository, 'main', key('gone'), is('another')), fails('precondition_failed', /Precondition/));
    await assert.rejects(service.deleteIf(repository, 'main', key('none'), is('x')), fails('not_found', /none: not found/));
    await service.deleteIf(repository, 'main', key('gone'), is('gone'));
    assert.deepEqual(await contentsOf(service, repository, 'main'), { kept: 'kept' });
    await assert.rejects(service.deleteIf(repository, 'main', key('gone'), is('gone')), fails('not_found', /gone/));
    await commit('main');

    await put('main', 'staged');
    await service.deleteIf(repository, 'main', key('staged'), is('staged'));
    assert.deepEqual(await collect(service.uncommittedRecords(repository, 'main')), []);
    await assert.rejects(commit('main'), fails('no_changes', /./));

    for (let i = 0; i < 30; i++) {
      const [before, after] = [`before ${i}`, `after ${i}`];
      await put('main', `raced=${before}`);
      const writes = [put('main', `raced=${after}`), service.deleteIf(repository, 'main', key('raced'), is(before))];
      await Promise.allSettled(i % 2 === 0 ? writes : writes.reverse());
      assert.equal((await contentsOf(service, repository, 'main'))['raced'], after, `round ${i}: the newer write is gone`);
    }
  });

  it('of several conditional deletes at once one takes the object', async t => {
    const { service, repository, put, commit } = await open(t);
    for (let round = 0; round < 20; round++) {
      await put('main', 'lease');
      if (round % 2 === 0) await commit('main');
      const takes = Array.from({ length: 4 }, () => service.deleteIf(repository, 'main', key('lease'), () => true));
      const outcomes = await Promise.allSettled(takes);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1, `round ${round}`);
      for (const outcome of outcomes) assert.ok(outcome.status === 'fulfilled' || isSrvError(outcome.reason, 'not_found'));
      if (round % 2 === 0) await commit('main');
    }
  });

  it('conditional deletes of many keys say of each whether it was deleted', async t => {
    const { service, repository, put } = await open(t);
    const names = Array.from({ length: 150 }, (_, i) => `k${i}`);
    await put('main', ...names);
    const refusals = await service.deleteEachIf(
      repository,
      'main',
      ['none', ...names].map((name, i) => ({ key: key(name), condition: () => i % 3 !== 0 })),
    );
    const expected = ['not_found', ...names.map((_, i) => ((i + 1) % 3 === 0 ? 'precondition_failed' : undefined))];
    assert.deepEqual(
      refusals.map(refusal => refusal?.code),
      expected,
    );
    assert.deepEqual(
      Object.keys(await contentsOf(service, repository, 'main')).sort((a, b) => (a < b ? -1 : 1)),
      names.filter((_, i) => (i + 1) % 3 === 0).sort((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('resets everything, one object, a prefix', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'p/a', 'p/b', 'q');
    await commit('main');
    await put('main', 'p/a=changed', 'p/new', 'q=changed');
    await service.delete(repository, 'main', [key('p/b')]);
    await service.resetBranch(repository, 'main', { type: 'object', path: 'q' });
    assert.equal((await service.get(repository, 'main', key('q')))?.identity.toString(), 'q');
    await service.resetBranch(repository, 'main', { type: 'prefix', prefix: 'p/' });
    assert.deepEqual(await contentsOf(service, repository, 'main'), { 'p/a': 'p/a', 'p/b': 'p/b', q: 'q' });
    await assert.rejects(commit('main'), fails('no_changes', /no changes/));
    await put('main', 'x');
    await service.resetBranch(repository, 'main', { type: 'all' });
    assert.deepEqual(await collect(service.uncommittedRecords(repository, 'main')), []);
  });

  it('protection and read-only repositories refuse', async t => {
    const { service, hooks, put, commit } = await open(t);
    await put('main', 'a');
    const asked: string[] = [];
    let blocks = true;
    hooks.guardBranch.tap('test', ({ repository: { id }, branch, actions, block }) => {
      if (!blocks) return;
      asked.push([id, branch, ...actions].join(' '));
      block();
    });
    // One guard that has nothing against it does not overrule another.
    hooks.guardBranch.tapPromise('indifferent', async () => undefined);
    await assert.rejects(put('main', 'b'), fails('protected', /cannot write to protected branch/));
    await assert.rejects(commit('main'), fails('protected', /cannot commit to protected branch/));
    assert.deepEqual(asked, ['repo main staging_write', 'repo main commit']);
    blocks = false;
    const frozen = await service.addRepository({ ...newRepository('frozen'), readOnly: true });
    await assert.rejects(service.set(frozen, 'main', key('a'), value('a')), fails('read_only', /read-only/));
    await service.set(frozen, 'main', key('a'), value('a'), { force: true });
  });
});

describe('merge, revert, cherry-pick', () => {
  it('merges, refuses conflicts and dirty branches, obeys strategies', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'a', 'b');
    await commit('main');
    await service.createBranch(repository, 'dev', 'main');
    await put('dev', 'a=dev', 'c');
    await commit('dev');
    await put('main', 'b=main');
    const merge = (request: object = {}) => service.merge(repository, 'dev', 'main', { committer: 'm', ...request });
    await assert.rejects(merge(), fails('dirty_branch', /^uncommitted changes \(dirty branch\)$/));
    await commit('main');
    const merged = await merge();
    assert.deepEqual(
      [merged.message, merged.metadata, merged.parents.length, merged.generation],
      ["Merge 'dev' into 'main'", { '.lakefs.merge.strategy': 'default' }, 2, 4],
    );
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'dev', b: 'main', c: 'c' });
    await assert.rejects(merge(), fails('no_changes', /update branch main: no changes$/));
    await put('dev', 'a=dev2');
    await commit('dev');
    await put('main', 'a=main2');
    await commit('main');
    await assert.rejects(merge(), fails('conflict', /^conflict found$/));
    await merge({ strategy: 'dest-wins' });
    assert.equal((await contentsOf(service, repository, 'main'))['a'], 'main2');
    await assert.rejects(service.merge(repository, 'dev', 'main@', { committer: 'm' }), fails('invalid', /branch id/));
    await assert.rejects(merge({ strategy: 'mine' }), fails('invalid', /invalid merge strategy: "mine"/));
  });

  it('a merge is a generation later than both its parents', async t => {
    const { service, repository, put, commit } = await open(t);
    await service.createBranch(repository, 'dev', 'main');
    await put('main', 'a');
    await commit('main');
    for (const name of ['b', 'c', 'd']) {
      await put('dev', name);
      await commit('dev');
    }
    const longer = await service.merge(repository, 'dev', 'main', { committer: 'm' });
    assert.equal(longer.generation, 5);
    await put('dev', 'e');
    await commit('dev');
    await put('main', 'f');
    await commit('main');
    assert.equal((await service.merge(repository, 'dev', 'main', { committer: 'm' })).generation, 7);
  });

  it('a merge refuses, and keeps, what another server stages in the partition that the merge has put aside', async t => {
    class LateStore extends MemoryKvStore {
      isArmed = false;

      override async setIf(...write: Parameters<MemoryKvStore['setIf']>): Promise<boolean> {
        const isWritten = await super.setIf(...write);
        if (!this.isArmed || !isWritten) return isWritten;
        const [token] = decodeBranch(write[2]).sealedTokens;
        if (token === undefined) return isWritten;
        this.isArmed = false;
        await this.set(token, key('late'), encodeStaged(key('late'), value('late')));
        return isWritten;
      }
    }
    const kv = new LateStore();
    const { service, repository, put, commit } = await open(t, kv);
    await put('main', 'a');
    await commit('main');
    await service.createBranch(repository, 'dev', 'main');
    await put('dev', 'c');
    await commit('dev');
    // A row that changes nothing: the merge puts it aside.
    await put('main', 'a');
    kv.isArmed = true;
    await assert.rejects(service.merge(repository, 'dev', 'main', { committer: 'm' }), fails('dirty_branch', /uncommitted changes/));
    assert.equal(kv.isArmed, false);
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', late: 'late' });
  });

  it('reverts, also merges by parent number', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'a');
    const first = await commit('main');
    await put('main', 'b');
    await commit('main');
    const reverted = await service.revert(repository, 'main', { ref: first.id, committer: 'r' });
    assert.equal(reverted.message, `Revert ${first.id}`);
    assert.deepEqual(await contentsOf(service, repository, 'main'), { b: 'b' });
    await service.createBranch(repository, 'dev', 'main');
    await put('dev', 'c');
    await commit('dev');
    const merge = await service.merge(repository, 'dev', 'main', { committer: 'm' });
    await assert.rejects(
      service.revert(repository, 'main', { ref: merge.id, committer: 'r' }),
      fails('conflict', /must specify 1-based parent number for reverting merge commit/),
    );
    await assert.rejects(
      service.revert(repository, 'main', { ref: merge.id, parentNumber: 3, committer: 'r' }),
      fails('invalid', /given commit does not have the given parent number/),
    );
    await service.revert(repository, 'main', { ref: merge.id, parentNumber: 1, committer: 'r' });
    assert.deepEqual(await contentsOf(service, repository, 'main'), { b: 'b' });
  });

  it('cherry-picks without touching the picked commit', async t => {
    const { service, repository, put, commit } = await open(t);
    await service.createBranch(repository, 'dev', 'main');
    await put('dev', 'x');
    await commit('dev', 'first');
    await put('dev', 'y');
    const picked = await commit('dev', 'second');
    const made = await service.cherryPick(repository, 'main', { ref: 'dev', committer: 'c' });
    assert.deepEqual([made.message, made.metadata], ['second', { 'cherry-pick-origin': picked.id, 'cherry-pick-committer': 'tester' }]);
    assert.deepEqual(await contentsOf(service, repository, 'main'), { y: 'y' });
    assert.deepEqual((await service.getCommit(repository, picked.id)).metadata, {});
    await assert.rejects(service.cherryPick(repository, 'main', { ref: 'dev', committer: 'c' }), fails('no_changes', /no changes/));
  });

  it('a commit that expects a head is made on that head only', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'a');
    const first = await commit('main');
    await put('main', 'b');
    const second = await commit('main');
    const onto = (expectedHead: string) =>
      service.commit(repository, 'main', { committer: 'c', message: 'm', sourceMetarange: first.metarangeId, expectedHead });
    await assert.rejects(onto(first.id), fails('precondition_failed', /the branch main has moved from/));
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', b: 'b' });
    assert.deepEqual((await onto(second.id)).parents, [second.id]);
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a' });
    await put('main', 'c');
    await assert.rejects(onto(first.id), { name: 'SrvError' });
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', c: 'c' });
  });

  it('hard reset moves the head of a clean branch only', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'a');
    await commit('main');
    await put('main', 'b');
    await assert.rejects(service.hardResetBranch(repository, 'main', 'main~1'), fails('dirty_branch', /^main: uncommitted changes/));
    await service.resetBranch(repository, 'main', { type: 'all' });
    await service.hardResetBranch(repository, 'main', 'main~1');
    assert.deepEqual(await contentsOf(service, repository, 'main'), {});
  });

  it('events carry their facts, in order, and post events are drained', async t => {
    const running = await open(t);
    const seen: EventRecord[] = [];
    for (const type of [
      'prepare-commit',
      'pre-commit',
      'post-commit',
      'pre-merge',
      'post-merge',
      'pre-create-branch',
      'post-create-branch',
    ] as const) {
      running.hooks.event.for(type).tapPromise('test', async event => {
        await new Promise(resolve => setTimeout(resolve, 5));
        seen.push(event);
      });
    }
    const { service, repository, put, commit } = running;
    await service.createBranch(repository, 'dev', 'main');
    await put('dev', 'a');
    const made = await commit('dev');
    const merged = await service.merge(repository, 'dev', 'main', { committer: 'm', squash: true });
    await running.stop();
    const byType = new Map(seen.map(e => [e.type, e]));
    assert.equal(byType.get('post-commit')?.commitId, made.id);
    assert.equal(byType.get('post-commit')?.preRunId, byType.get('pre-commit')?.runId);
    assert.equal(byType.get('pre-commit')?.commitId, undefined);
    assert.equal(byType.get('pre-merge')?.commitId, merged.id);
    assert.equal(byType.get('pre-merge')?.sourceRef, made.id);
    assert.equal(byType.get('post-merge')?.mergeSource, 'dev');
    assert.equal(seen.length, 7);
  });
});

describe('history', () => {
  it('logs with its filters', async t => {
    const { service, repository, put, commit } = await open(t);
    await put('main', 'dir/a');
    const one = await commit('main', 'one');
    await service.createBranch(repository, 'dev', 'main');
    await put('dev', 'dir/b');
    const two = await commit('dev', 'two');
    await put('main', 'c');
    const three = await commit('main', 'three');
    const merge = await service.merge(repository, 'dev', 'main', { committer: 'm' });
    const ids = async (request: object): Promise<string[]> => (await service.log(repository, 'main', request)).results.map(c => c.id);
    const root = (await service.getCommit(repository, 'main~3')).id;
    assert.deepEqual(new Set(await ids({})), new Set([merge.id, three.id, two.id, one.id, root]));
    assert.deepEqual(await ids({ firstParent: true }), [merge.id, three.id, one.id, root]);
    assert.deepEqual(await ids({ noMerges: true, firstParent: true }), [three.id, one.id, root]);
    assert.deepEqual(await ids({ objects: ['dir/b'] }), [two.id]);
    assert.deepEqual(new Set(await ids({ prefixes: ['dir/'] })), new Set([two.id, one.id]));
    assert.deepEqual(await ids({ firstParent: true, stopAt: one.id }), [merge.id, three.id, one.id]);
    assert.deepEqual(await ids({ firstParent: true, after: three.id }), [one.id, root]);
    assert.deepEqual(await ids({ exclude: 'dev' }), [merge.id, three.id]);
    assert.deepEqual(await ids({ exclude: 'dev', amount: 1, after: merge.id }), [three.id]);
    assert.deepEqual(await ids({ exclude: 'main' }), []);
    const page = await service.log(repository, 'main', { amount: 2, firstParent: true });
    assert.deepEqual([page.results.length, page.hasMore, page.nextOffset], [2, true, three.id]);
    assert.equal((await service.log(repository, 'main', { amount: 2, limit: true })).hasMore, false);
  });

  it('merge base of criss-cross histories is a best common ancestor', async t => {
    const { service, repository, put, commit } = await open(t);
    await service.createBranch(repository, 'dev', 'main');
    await put('main', 'a');
    const a = await commit('main');
    await put('dev', 'b');
    const b = await commit('dev');
    await service.merge(repository, b.id, 'main', { committer: 'm' });
    await service.merge(repository, a.id, 'dev', { committer: 'm' });
    const { baseCommitId } = await service.findMergeBase(repository, 'dev', 'main');
    assert.ok([a.id, b.id].includes(baseCommitId));
  });
});

describe('repositories', () => {
  it('deletion removes everything the repository owned', async t => {
    const { service, hooks, repository, put, commit, kv } = await open(t);
    await put('main', 'a');
    await commit('main');
    await put('main', 'b');
    await service.createBranch(repository, 'dev', 'main');
    const cleaned: string[] = [];
    hooks.repositoryDeleted.tapPromise('test', async ({ id }) => void cleaned.push(id));
    await service.updateRepositoryMetadata(repository, () => ({ k: 'v' }));
    await service.deleteRepository('repo');
    await assert.rejects(service.getRepository('repo'), fails('not_found', /repository not found/));
    for (const partition of [`repo-${repository.instanceUid}`, 'cleanup-tokens', 'graveler'])
      await until(async () => (await collect(kv.scan(partition))).flat().length === 0);
    await until(() => cleaned.length > 0);
    assert.deepEqual(cleaned, ['repo']);
    const again = await service.addRepository(newRepository());
    assert.notEqual(again.instanceUid, repository.instanceUid);
    assert.deepEqual(await contentsOf(service, again, 'main'), {});
  });
});
