/** Which commit changed paths last, compared with the log of each path alone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemoryKvStore, runCount, seededRandom } from '@srv/kernel/testing';
import { instance, key, newRepository, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { Instance } from './fixture.js';

const author = { committer: 'tester', message: 'message' };

describe('the last commits of paths', () => {
  let server: Instance;
  let service: Refs;
  before(() => {
    server = instance(new MemoryKvStore(), new MemoryCommitted());
    ({ service } = server);
  });
  after(() => server.stop());

  /** By the log of each path. */
  async function naive(repository: Repository, paths: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const path of paths) {
      const which = path.endsWith('/') ? { prefixes: [path] } : { objects: [path] };
      const { results } = await service.log(repository, 'main', { ...which, amount: 1, limit: true });
      if (results[0]) found.set(path, results[0].id);
    }
    return found;
  }

  const idsOf = async (repository: Repository, paths: readonly string[]) => {
    const { commits, isWhole } = await service.lastCommits(repository, 'main', { paths, timeMs: Infinity });
    assert.equal(isWhole, true);
    return new Map([...commits].map(([path, { id }]) => [path, id]));
  };

  it('equal those of the logs of single paths, in random histories with branches and merges', async () => {
    const random = seededRandom();
    for (let run = 0; run < runCount(6, 40); run++) {
      const repository = await service.addRepository(newRepository(`repo-${run}`));
      // Names may begin with slashes, and have several in a row.
      const paths = ['a', 'b', 'f/a', 'f/b', 'f/g/a', 'f/g/b', 'h/a', '/x', '//y', 'f//z'];
      const folders = ['f/', 'f/g/', 'h/', '/', '//', 'f//'];
      for (let step = 0; step < 25; step++) {
        const branch = random.below(3) === 0 && step > 0 ? 'side' : 'main';
        if (branch === 'side') await service.createBranch(repository, 'side', 'main').catch(() => undefined);
        for (let i = 0; i <= random.below(3); i++) {
          const path = random.choose(paths);
          if (random.below(5) === 0) await service.delete(repository, branch, [key(path)]).catch(() => undefined);
          else await service.set(repository, branch, key(path), value(String(random.below(4))));
        }
        await service.commit(repository, branch, { ...author, allowEmpty: true });
        if (branch === 'side' && random.below(2) === 0) {
          await service.merge(repository, 'side', 'main', { committer: 'merger', strategy: 'source-wins' }).catch(() => undefined);
          await service.deleteBranch(repository, 'side');
        }
      }
      const some = Array.from({ length: 20 }, () => {
        const all = [...paths, ...folders, 'missing', 'missing/'];
        return all.filter(() => random.below(all.length) < 3);
      });
      for (const asked of [
        [...paths, ...folders, 'missing', 'missing/'],
        ['f/a', 'f/b', 'f/g/'],
        ['f/g/a'],
        ['/', 'b'],
        ['//', '/x'],
        ...some,
      ])
        assert.deepEqual(await idsOf(repository, asked), await naive(repository, asked), `seed ${random.seed}, run ${run}`);
    }
  });

  it('are found where a commit changes more than is walked', async () => {
    const repository = await service.addRepository(newRepository('large'));
    await service.set(repository, 'main', key('z/last'), value('1'));
    const { id: first } = await service.commit(repository, 'main', author);
    for (let i = 0; i < 1500; i++) await service.set(repository, 'main', key(`f/${String(i).padStart(5, '0')}`), value('1'));
    await service.set(repository, 'main', key('y/z'), value('1'));
    const { id: second } = await service.commit(repository, 'main', author);
    assert.deepEqual(
      await idsOf(repository, ['f/', 'f/01499', 'y/', 'y/z', 'z/', 'none']),
      new Map([
        ['f/', second],
        ['f/01499', second],
        ['y/', second],
        ['y/z', second],
        ['z/', first],
      ]),
    );
  });

  it('are searched for among as many commits as are asked for', async () => {
    const repository = await service.addRepository(newRepository('bounded'));
    for (const path of ['old', 'new', 'newest']) {
      await service.set(repository, 'main', key(path), value('1'));
      await service.commit(repository, 'main', author);
    }
    const { commits, looked, isWhole } = await service.lastCommits(repository, 'main', { paths: ['old', 'new', 'newest'], amount: 2 });
    assert.deepEqual([[...commits.keys()].toSorted(), looked, isWhole], [['new', 'newest'], 2, false]);
    const none = await service.lastCommits(repository, 'main', { paths: ['old', 'new', 'newest'], timeMs: -1 });
    assert.deepEqual([none.commits.size, none.looked, none.isWhole], [0, 0, false]);
    // All are known before the bound is reached.
    const known = await service.lastCommits(repository, 'main', { paths: ['new', 'newest'], amount: 2 });
    assert.deepEqual([known.commits.size, known.isWhole], [2, true]);
    const controller = new AbortController();
    controller.abort();
    await assert.rejects(service.lastCommits(repository, 'main', { paths: ['old'], signal: controller.signal }), /abort/i);
  });
});
