/** The record of a commit and the head that names it, on a store that writes them together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKvStore, collect } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { instance, key, newRepository, storeOfPeers, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { Condition, KvRecord, KvStore } from '@srv/kernel';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';

const author = { committer: 'tester', message: 'message' };
const kindOf = (at: Buffer): string => at.toString().split('/')[0] ?? '';

/** Notes the records of commits and branches that are written under conditions, those of one write as one. */
class NotingStore extends MemoryKvStore {
  readonly written: string[] = [];

  override setIf(...[partition, at, ...rest]: Parameters<MemoryKvStore['setIf']>): Promise<boolean> {
    this.#note([at]);
    return super.setIf(partition, at, ...rest);
  }

  override get setIfWith(): KvStore['setIfWith'] {
    const joint = super.setIfWith;
    return (
      joint &&
      ((record: KvRecord, condition: Condition, further: readonly KvRecord[]) => {
        this.#note([record.key, ...further.map(({ key: at }) => at)]);
        return joint(record, condition, further);
      })
    );
  }

  #note(keys: readonly Buffer[]): void {
    const kinds = keys.map(kindOf).filter(kind => kind === 'branches' || kind === 'commits');
    if (kinds.length > 0) this.written.push(kinds.join('+'));
  }
}

async function diverged(kv: KvStore) {
  const running = instance(kv, new MemoryCommitted());
  const { service } = running;
  const repository = await service.addRepository(newRepository());
  await service.createBranch(repository, 'dev', 'main');
  await service.set(repository, 'dev', key('a'), value('a'));
  return { ...running, repository };
}

const steps: readonly [name: string, run: (service: Refs, repository: Repository) => Promise<unknown>, written: readonly string[]][] = [
  ['commit', (service, repository) => service.commit(repository, 'dev', author), ['branches', 'branches+commits']],
  ['cherry-pick', (service, repository) => service.cherryPick(repository, 'main', { ...author, ref: 'dev' }), ['branches+commits']],
  ['revert', (service, repository) => service.revert(repository, 'main', { ...author, ref: 'main' }), ['branches+commits']],
  // Its hook asks for the commit.
  ['merge', (service, repository) => service.merge(repository, 'dev', 'main', { ...author, force: true }), ['commits', 'branches']],
];

test('one write stores a commit and moves the head, except for merges', async () => {
  const kv = new NotingStore();
  const { service, repository, stop } = await diverged(kv);
  for (const [name, run, written] of steps) {
    kv.written.length = 0;
    await run(service, repository);
    assert.deepEqual(kv.written, written, name);
  }
  await stop();
});

test('a store that cannot write two records together gets the commit first', async () => {
  const kv = new NotingStore('local', true);
  const { service, repository, stop } = await diverged(Object.assign(kv, { isSharedWithPeers: true }));
  kv.written.length = 0;
  await service.commit(repository, 'dev', author);
  assert.deepEqual(kv.written, ['branches', 'commits', 'branches']);
  await stop();
});

for (const kv of [new MemoryKvStore(), storeOfPeers()])
  test(`a commit whose branch is changed meanwhile is made again${kv.isShared ? '' : ', and nothing is left of the first one'}`, async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { service, repository, hooks, stop } = await diverged(kv);
    let tries = 0;
    hooks.event.for('pre-commit').tapPromise('test', async () => {
      if (tries++ > 0) return;
      // The second commit has another date.
      t.mock.timers.tick(1000);
      const branch = await kv.get(partitionOf(repository), Buffer.from('branches/dev'));
      assert.ok(branch);
      // A field that no reader knows.
      await kv.set(partitionOf(repository), Buffer.from('branches/dev'), Buffer.concat([branch.value, Buffer.from([0xf8, 0x7f, 0x01])]));
    });
    const commit = await service.commit(repository, 'dev', author);
    assert.equal(tries, 2);
    assert.equal((await service.getBranch(repository, 'dev')).commitId, commit.id);
    assert.deepEqual(await service.getCommit(repository, commit.id), commit);
    const records = await collect(kv.scan(partitionOf(repository)));
    const known = (await service.log(repository, 'dev')).results.length;
    assert.equal(records.filter(({ key: at }) => kindOf(at) === 'commits').length, kv.isShared ? known + 1 : known);
    await stop();
  });
