import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError, isSrvError } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { contentsOf, instance, key, newRepository, value } from './fixture.js';
import { MortalKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';

/** What is visible of a repository: contents of each branch, with and without uncommitted writes, tags and commits. */
type Picture = Record<string, unknown>;

interface Scenario {
  readonly name: string;
  /** Brings the repository to the state before the operation. */
  setUp(service: Refs, repository: Repository): Promise<void>;
  operate(service: Refs, repository: Repository): Promise<unknown>;
}

const author = { committer: 'tester', message: 'message', date: new Date(1_700_000_000_000) };

async function put(service: Refs, repository: Repository, branch: string, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const [path = '', content = text] = text.split('=');
    await service.set(repository, branch, key(path), value(content));
  }
}

const commit = (service: Refs, repository: Repository, branch: string) => service.commit(repository, branch, author);

async function uncommitted(service: Refs, repository: Repository): Promise<void> {
  await put(service, repository, 'main', 'a', 'b');
  await commit(service, repository, 'main');
  await put(service, repository, 'main', 'a=2', 'c');
  await service.delete(repository, 'main', [key('b')]);
}

async function diverge(service: Refs, repository: Repository): Promise<void> {
  await put(service, repository, 'main', 'a', 'b');
  await commit(service, repository, 'main');
  await service.createBranch(repository, 'dev', 'main');
  await put(service, repository, 'dev', 'c', 'a=dev');
  await commit(service, repository, 'dev');
}

const scenarios: readonly Scenario[] = [
  { name: 'put', async setUp() {}, operate: (service, repository) => put(service, repository, 'main', 'x') },
  {
    name: 'commit',
    setUp: uncommitted,
    operate: (service, repository) => commit(service, repository, 'main'),
  },
  {
    name: 'compaction',
    setUp: uncommitted,
    operate: async (service, repository) => {
      await service.compactBranch(repository, 'main');
      if (!(await service.branchCompaction(repository, 'main'))) throw new SrvError('unavailable', 'not compacted');
    },
  },
  {
    name: 'commit of a compacted branch',
    setUp: async (service, repository) => {
      await uncommitted(service, repository);
      await service.compactBranch(repository, 'main');
      await put(service, repository, 'main', 'a=3', 'b=3');
    },
    operate: (service, repository) => commit(service, repository, 'main'),
  },
  { name: 'merge', setUp: diverge, operate: (service, repository) => service.merge(repository, 'dev', 'main', { committer: 'm' }) },
  { name: 'revert', setUp: diverge, operate: (service, repository) => service.revert(repository, 'dev', { ref: 'dev', committer: 'r' }) },
  {
    name: 'cherry-pick',
    setUp: diverge,
    operate: (service, repository) => service.cherryPick(repository, 'main', { ref: 'dev', committer: 'c' }),
  },
  { name: 'hard reset', setUp: diverge, operate: (service, repository) => service.hardResetBranch(repository, 'dev', 'dev~1') },
  {
    name: 'reset all',
    setUp: async (service, repository) => {
      await diverge(service, repository);
      await put(service, repository, 'main', 'x', 'y');
    },
    operate: (service, repository) => service.resetBranch(repository, 'main', { type: 'all' }),
  },
  { name: 'create branch', setUp: diverge, operate: (service, repository) => service.createBranch(repository, 'new', 'main') },
  { name: 'delete branch', setUp: diverge, operate: (service, repository) => service.deleteBranch(repository, 'dev') },
  {
    name: 'undelete branch',
    setUp: async (service, repository) => {
      await diverge(service, repository);
      await service.deleteBranch(repository, 'dev');
    },
    operate: (service, repository) => service.undeleteBranch(repository, 'dev'),
  },
  {
    name: 'create branch again',
    setUp: async (service, repository) => {
      await diverge(service, repository);
      await service.deleteBranch(repository, 'dev');
    },
    operate: (service, repository) => service.createBranch(repository, 'dev', 'main'),
  },
  { name: 'create tag', setUp: diverge, operate: (service, repository) => service.createTag(repository, 'v1', 'dev') },
  {
    name: 'move tag',
    setUp: async (service, repository) => {
      await diverge(service, repository);
      await service.createTag(repository, 'v1', 'main');
    },
    operate: (service, repository) => service.createTag(repository, 'v1', 'dev', { overwrite: true }),
  },
];

async function pictureOf(service: Refs, repository: Repository): Promise<Picture> {
  const picture: Picture = {};
  for (const { id } of (await service.listBranches(repository)).results) {
    picture[id] = await contentsOf(service, repository, id);
    picture[`${id}@`] = await contentsOf(service, repository, `${id}@`);
    picture[`${id} log`] = (await service.log(repository, id)).results.length;
    picture[`${id} reflog`] = (await service.branchLog(repository, id)).results.map(({ operation }) => operation);
  }
  for (const { id } of (await service.deletedBranches(repository)).results)
    picture[`${id} deleted`] = (await service.branchLog(repository, id)).results.map(({ operation }) => operation);
  // Ids hold the time of creation: what a tag shows also says where it points.
  for (const { id } of (await service.listTags(repository)).results) picture[`tag ${id}`] = await contentsOf(service, repository, id);
  return picture;
}

/** Runs a scenario on a store that dies after `writes` writes; returns whether the operation got through. */
async function attempt(
  scenario: Scenario,
  writes: number,
): Promise<{ done: boolean; before: Picture; after: Picture; service: Refs; repository: Repository; stop(): Promise<void> }> {
  const kv = new MemoryKvStore();
  const committed = new MemoryCommitted();
  const first = instance(kv, committed);
  const repository = await first.service.addRepository(newRepository());
  await scenario.setUp(first.service, repository);
  const before = await pictureOf(first.service, repository);
  await first.stop();
  const mortal = new MortalKv(kv, writes);
  committed.onWrite = () => mortal.step();
  const doomed = instance(mortal, committed);
  let done = true;
  try {
    await scenario.operate(doomed.service, repository);
  } catch (error) {
    if (!isSrvError(error, 'unavailable')) throw error;
    done = false;
  }
  mortal.writesLeft = 0;
  await doomed.stop();
  committed.onWrite = () => {};
  const restarted = instance(kv, committed);
  return {
    done,
    before,
    after: await pictureOf(restarted.service, repository),
    service: restarted.service,
    repository,
    stop: restarted.stop,
  };
}

describe('killed between any two writes', () => {
  for (const scenario of scenarios) {
    it(`${scenario.name} has happened or has not, and can be done again`, async () => {
      const complete = await attempt(scenario, Number.POSITIVE_INFINITY);
      await complete.stop();
      for (let writes = 0; ; writes++) {
        const { done, before, after, service, repository, stop } = await attempt(scenario, writes);
        try {
          const happened = stable(after) === stable(complete.after);
          if (!happened) assert.equal(stable(after), stable(before), `after ${writes} writes`);
          assert.ok(happened || !done, `acknowledged after ${writes} writes, but lost`);
          if (!happened) await scenario.operate(service, repository);
          assert.equal(stable(await pictureOf(service, repository)), stable(complete.after), `repeated after ${writes} writes`);
          await put(service, repository, 'main', 'later');
          await commit(service, repository, 'main');
        } finally {
          await stop();
        }
        if (done) break;
        assert.ok(writes < 60, 'the operation never ends');
      }
    });
  }

  it('creating a repository', async () => {
    for (let writes = 0; ; writes++) {
      const kv = new MemoryKvStore();
      const committed = new MemoryCommitted();
      const doomed = instance(new MortalKv(kv, writes), committed);
      const done = await doomed.service.addRepository(newRepository()).then(
        () => true,
        () => false,
      );
      await doomed.stop();
      const { service, stop } = instance(kv, committed);
      if (done) assert.equal((await service.getRepository('repo')).id, 'repo');
      else await service.addRepository(newRepository()).catch(error => assert.ok(isSrvError(error, 'not_unique')));
      const repository = await service.getRepository('repo');
      await put(service, repository, 'main', 'a');
      await commit(service, repository, 'main');
      await stop();
      if (done) return;
    }
  });

  it('deleting a repository', async () => {
    for (let writes = 0; ; writes++) {
      const kv = new MemoryKvStore();
      const committed = new MemoryCommitted();
      const first = instance(kv, committed);
      const repository = await first.service.addRepository(newRepository());
      await diverge(first.service, repository);
      await first.stop();
      const doomed = instance(new MortalKv(kv, writes), committed);
      const done = await doomed.service.deleteRepository('repo').then(
        () => true,
        () => false,
      );
      await doomed.stop();
      const { service, stop } = instance(kv, committed);
      if (!done) await service.deleteRepository('repo').catch(error => assert.ok(isSrvError(error, 'not_found')));
      await assert.rejects(service.getRepository('repo'), error => isSrvError(error, 'not_found'));
      await service.addRepository(newRepository());
      await stop();
      if (done) return;
      assert.ok(writes < 60, 'the deletion never ends');
    }
  });
});

/** Text that is equal for equal pictures. */
function stable(picture: Picture): string {
  return JSON.stringify(Object.entries(picture).sort(([a], [b]) => (a < b ? -1 : 1)));
}
