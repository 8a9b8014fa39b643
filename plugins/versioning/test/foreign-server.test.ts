/** Readers beside a server of another make that commits and empties the partitions it retires at once. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import type { Repository, Versioning } from '../src/contract.js';
import { contentsOf, instance, key, newRepository, value } from './fixture.js';
import type { Instance } from './fixture.js';
import { HastyKv, InterruptedKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';

describe('beside a server that empties retired partitions at once', () => {
  let kv: InterruptedKv;
  let ours: Instance;
  let foreign: Instance;
  let service: Versioning;
  let repository: Repository;

  beforeEach(async () => {
    const shared = new MemoryKvStore('postgres');
    const committed = new MemoryCommitted();
    kv = new InterruptedKv(shared);
    ours = instance(kv, committed);
    foreign = instance(new HastyKv(shared), committed);
    ({ service } = ours);
    repository = await service.createRepository(newRepository());
    for (const path of ['changed', 'removed']) await service.set(repository, 'main', key(path), value('before'));
    await service.commit(repository, 'main', { committer: 'ann', message: 'first' });
    for (const path of ['added', 'changed', 'zebra']) await service.set(repository, 'main', key(path), value('after'));
    await service.delete(repository, 'main', [key('removed')], {});
    const { stagingToken } = await service.getBranch(repository, 'main');
    kv.beforeReadOf(
      partition => partition === stagingToken,
      () => foreign.service.commit(repository, 'main', { committer: 'bob', message: 'between two reads' }),
    );
  });
  afterEach(() => Promise.all([ours.stop(), foreign.stop()]));

  it('finds what was added', async () => {
    assert.equal((await service.get(repository, 'main', key('added')))?.identity.toString(), 'after');
  });

  it('shows what was changed as it is now', async () => {
    assert.equal((await service.get(repository, 'main', key('changed')))?.identity.toString(), 'after');
  });

  it('does not show what was removed', async () => {
    assert.equal(await service.get(repository, 'main', key('removed')), undefined);
  });

  it('lists what is there', async () => {
    assert.deepEqual(await contentsOf(service, repository, 'main'), { added: 'after', changed: 'after', zebra: 'after' });
  });

  it('lists what is there when the partition is emptied between two of its pages', async () => {
    const { stagingToken } = await service.getBranch(repository, 'main');
    let reads = 0;
    kv.beforeReadOf(
      partition => partition === stagingToken && ++reads === 2,
      () => foreign.service.commit(repository, 'main', { committer: 'bob', message: 'between two pages' }),
    );
    assert.deepEqual(await contentsOf(service, repository, 'main'), { added: 'after', changed: 'after', zebra: 'after' });
    assert.ok(reads >= 2);
  });

  it('knows the commit where nothing is uncommitted any more', async () => {
    const { metarangeId, uncommitted } = await service.committedPart(repository, 'main', key(''));
    const head = await service.getCommit(repository, (await service.getBranch(repository, 'main')).commitId);
    assert.deepEqual([metarangeId, uncommitted], [head.metarangeId, undefined]);
  });

  it('removes what the other server has committed meanwhile', async () => {
    await service.delete(repository, 'main', [key('added')], {});
    assert.equal(await service.get(repository, 'main', key('added')), undefined);
  });
});
