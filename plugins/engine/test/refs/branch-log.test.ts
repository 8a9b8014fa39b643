import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, seededRandom } from '@srv/kernel/testing';
import { instance, key, newRepository, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { Instance } from './fixture.js';

const fails = (code: Parameters<typeof isSrvError>[1]) => (error: unknown) => isSrvError(error, code);
const author = { committer: 'tester', message: 'message' };

describe('the log of a branch', () => {
  let server: Instance;
  let service: Refs;
  let repository: Repository;
  let version = 0;

  before(async () => {
    server = instance(new MemoryKvStore(), new MemoryCommitted());
    service = server.service;
    repository = await service.addRepository(newRepository());
  });
  after(() => server.stop());

  async function commit(branch: string): Promise<string> {
    await service.set(repository, branch, key(`k-of-${branch}`), value(`v${version++}`));
    return (await service.commit(repository, branch, author)).id;
  }

  const operationsOf = async (branch: string): Promise<string[]> =>
    (await service.branchLog(repository, branch)).results.map(({ operation }) => operation);

  it('shows commits, merges, resets, deletion and restoration, with who did it', async () => {
    const start = await commit('main');
    await service.createBranch(repository, 'dev', 'main');
    const first = await commit('dev');
    await service.createBranch(repository, 'other', 'main');
    await commit('other');
    const { id: merged } = await service.merge(repository, 'other', 'dev', { committer: 'merger' });
    await service.hardResetBranch(repository, 'dev', first, { user: 'carol' });
    await service.deleteBranch(repository, 'dev', { user: 'dave' });
    assert.deepEqual(
      (await service.deletedBranches(repository)).results.map(({ id, commitId, deletedBy }) => [id, commitId, deletedBy]),
      [['dev', first, 'dave']],
    );
    const restored = await service.undeleteBranch(repository, 'dev', { user: 'erin' });
    assert.equal(restored.commitId, first);
    const { results } = await service.branchLog(repository, 'dev');
    assert.deepEqual(
      results.slice(0, 5).map(({ operation, commitId, previous, user }) => [operation, commitId, previous, user]),
      [
        ['undelete', first, '', 'erin'],
        ['delete', '', first, 'dave'],
        ['reset', first, merged, 'carol'],
        ['merge', merged, first, 'merger'],
        ['commit', first, start, 'tester'],
      ],
    );
    assert.deepEqual((await service.deletedBranches(repository)).results, []);
  });

  it('is read in pages of any size', async () => {
    const whole = (await service.branchLog(repository, 'dev')).results;
    for (const amount of [1, 2, 3]) {
      const found = [];
      for (let place = ''; ; ) {
        const { results, hasMore, nextOffset } = await service.branchLog(repository, 'dev', { amount, after: place });
        found.push(...results);
        if (!hasMore) break;
        place = nextOffset;
      }
      assert.deepEqual(found, whole);
    }
    for (const after of ['x', 'a.b', `${'0'.repeat(64)}.~.x`, '../..'])
      await assert.rejects(service.branchLog(repository, 'dev', { after }), fails('invalid'));
  });

  it('a branch whose name is taken is restored under another one', async () => {
    await service.createBranch(repository, 'taken', 'main');
    const last = await commit('taken');
    await service.deleteBranch(repository, 'taken');
    await service.createBranch(repository, 'taken', 'main');
    await assert.rejects(service.undeleteBranch(repository, 'taken'), fails('not_unique'));
    assert.equal((await service.undeleteBranch(repository, 'taken', { as: 'rescued' })).commitId, last);
    assert.deepEqual((await operationsOf('taken')).slice(0, 3), ['create', 'delete', 'commit']);
    assert.equal((await operationsOf('rescued'))[0], 'undelete');
  });

  it('rejects branches that were never deleted or never there', async () => {
    await assert.rejects(service.undeleteBranch(repository, 'never'), fails('not_found'));
    await assert.rejects(service.branchLog(repository, 'never'), fails('not_found'));
    await assert.rejects(service.undeleteBranch(repository, 'dev', { as: 'a/b' }), fails('invalid'));
  });

  it('deletions are listed in pages, one for each name', async () => {
    for (const name of ['p1', 'p2', 'p3', 'p2']) {
      await service.createBranch(repository, name, 'main');
      await service.deleteBranch(repository, name);
    }
    const first = await service.deletedBranches(repository, { prefix: 'p', amount: 2 });
    assert.deepEqual([first.results.map(({ id }) => id), first.hasMore], [['p1', 'p2'], true]);
    const second = await service.deletedBranches(repository, { prefix: 'p', amount: 2, after: first.nextOffset });
    assert.deepEqual([second.results.map(({ id }) => id), second.hasMore], [['p3'], false]);
  });

  it('a creation under the name of a branch that was deleted before the start is in it', async t => {
    const kv = new MemoryKvStore();
    const first = instance(kv, new MemoryCommitted());
    const created = await first.service.addRepository(newRepository());
    await first.service.createBranch(created, 'dev', 'main');
    await first.service.deleteBranch(created, 'dev');
    await first.stop();
    const second = instance(kv, new MemoryCommitted());
    t.after(() => second.stop());
    for (const name of ['other', 'dev']) await second.service.createBranch(created, name, 'main', { user: 'frank' });
    const { results } = await second.service.branchLog(created, 'dev');
    assert.deepEqual(
      results.slice(0, 2).map(({ operation, user }) => [operation, user]),
      [
        ['create', 'frank'],
        ['delete', ''],
      ],
    );
  });

  it('equals what random clients did', async () => {
    const random = seededRandom();
    const names = ['r1', 'r2', 'r3'];
    const heads = new Map<string, string>();
    const deleted = new Map<string, string>();
    /** Newest last: operation, commit, previous. */
    const moves = new Map<string, [string, string, string][]>(names.map(name => [name, []]));
    const all = [(await service.getBranch(repository, 'main')).commitId];
    const move = (name: string, operation: string, to: string): void => {
      moves.get(name)?.push([operation, to, heads.get(name) ?? '']);
      if (to === '') heads.delete(name);
      else heads.set(name, to);
    };
    for (let i = 0; i < 300; i++) {
      const name = random.choose(names);
      const head = heads.get(name);
      const commitId = random.choose(all);
      const roll = random.below(5);
      if (head === undefined && roll < 3) {
        await service.createBranch(repository, name, commitId);
        move(name, 'create', commitId);
      } else if (head === undefined) {
        const kept = deleted.get(name);
        if (kept === undefined) continue;
        await service.undeleteBranch(repository, name);
        move(name, 'undelete', kept);
      } else if (roll === 0) {
        await service.deleteBranch(repository, name);
        deleted.set(name, head);
        move(name, 'delete', '');
      } else if (roll === 1 && commitId !== head) {
        await service.hardResetBranch(repository, name, commitId);
        move(name, 'reset', commitId);
      } else {
        const id = await commit(name);
        all.push(id);
        move(name, 'commit', id);
      }
    }
    for (const name of names) {
      // Of the first creation only the commits before it are known.
      const expected = (moves.get(name) ?? []).slice(1).reverse();
      if (expected.length === 0) continue;
      const { results } = await service.branchLog(repository, name, { amount: 1000 });
      const found = results.map(({ operation, commitId, previous }) => [operation, commitId, previous]);
      assert.deepEqual(found.slice(0, expected.length), expected, `seed ${random.seed}`);
    }
    assert.deepEqual(
      (await service.deletedBranches(repository, { prefix: 'r' })).results.filter(({ id }) => names.includes(id)).map(({ id }) => id),
      names.filter(name => deleted.has(name) && !heads.has(name)),
    );
  });

  it('is forgotten when it is no longer kept', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 8 * 86_400_000 });
    assert.deepEqual((await service.deletedBranches(repository)).results, []);
    await assert.rejects(service.undeleteBranch(repository, 'p1'), fails('not_found'));
    await service.pruneBranchLog(repository);
    t.mock.timers.reset();
    assert.deepEqual((await service.deletedBranches(repository)).results, []);
  });
});

describe('undeleting while others commit, delete and create', () => {
  it('loses no acknowledged commit', async () => {
    const random = seededRandom();
    for (let schedule = 0; schedule < 20; schedule++) {
      const { service, stop } = instance(new MemoryKvStore(), new MemoryCommitted());
      const repository = await service.addRepository(newRepository());
      const acknowledged = new Set<string>();
      const names = new Set(['x']);
      const client = async (id: number): Promise<void> => {
        for (let i = 0; i < 10; i++) {
          const as = `x${id}-${i}`;
          const steps = [
            () => service.createBranch(repository, 'x', 'main'),
            () => service.deleteBranch(repository, 'x'),
            () => service.undeleteBranch(repository, 'x', { as }).then(() => names.add(as)),
            () => service.undeleteBranch(repository, 'x'),
            async () => {
              await service.set(repository, 'x', key(as), value(as));
              acknowledged.add((await service.commit(repository, 'x', author)).id);
            },
          ];
          await random
            .choose(steps)()
            .catch((error: unknown) => {
              if (!isSrvError(error, 'not_found', 'not_unique', 'too_many_tries', 'no_changes')) throw error;
            });
        }
      };
      await Promise.all([0, 1, 2, 3].map(client));
      const known = new Set<string>();
      for (const name of names) {
        const { results } = await service.branchLog(repository, name, { amount: 1000 }).catch(() => ({ results: [] }));
        for (const { commitId } of results) known.add(commitId);
      }
      for (const commit of acknowledged) assert.ok(known.has(commit), `seed ${random.seed}`);
      await stop();
    }
  });
});
