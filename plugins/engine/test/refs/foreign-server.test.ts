/** Partitions that are emptied while they are read: by another product's server, or because the read outlasted the grace period. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryKvStore } from '@srv/kernel/testing';
import { isEmptyPartition, tokensOf } from '../../src/refs/staging.js';
import { collect, contentsOf, instance, key, newRepository, value } from './fixture.js';
import { HastyKv, InterruptedKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';
import type { KvEntry, KvStore } from '@srv/kernel';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { Instance } from './fixture.js';

/** The store as each server sees it. */
type Seen = readonly [ours: KvStore, other: KvStore];

const settings: Readonly<Record<string, () => Seen>> = {
  'beside a server that empties retired partitions at once': () => {
    const shared = new MemoryKvStore('postgres');
    return [shared, new HastyKv(shared)];
  },
  'where a read takes longer than retired partitions are kept': () => {
    const shared = new MemoryKvStore('local');
    return [shared, shared];
  },
};

for (const [setting, stores] of Object.entries(settings))
  describe(setting, () => {
    let kv: InterruptedKv;
    let seen: Seen;
    let ours: Instance;
    let foreign: Instance;
    let service: Refs;
    let repository: Repository;

    beforeEach(async () => {
      const committed = new MemoryCommitted();
      seen = stores();
      kv = new InterruptedKv(seen[0]);
      ours = instance(kv, committed);
      foreign = instance(seen[1], committed);
      ({ service } = ours);
      repository = await service.addRepository(newRepository());
      for (const path of ['changed', 'removed']) await service.set(repository, 'main', key(path), value('before'));
      await service.commit(repository, 'main', { committer: 'ann', message: 'first' });
      for (const path of ['added', 'changed', 'zebra']) await service.set(repository, 'main', key(path), value('after'));
      await service.delete(repository, 'main', [key('removed')], {});
      const { stagingToken } = await service.getBranch(repository, 'main');
      kv.beforeReadOf(
        partition => partition === stagingToken,
        () => commitAndEmpty('between two reads'),
      );
    });
    /** A commit that is refused leaves the branch with a sealed partition. */
    const leaveSealed = async (): Promise<void> => {
      let refusals = 0;
      foreign.hooks.event.for('pre-commit').tapPromise('once', async () => {
        if (refusals++ === 0) throw new Error('not now');
      });
      await assert.rejects(foreign.service.commit(repository, 'main', { committer: 'ann', message: 'refused' }));
    };
    const commitAndEmpty = async (message: string): Promise<void> => {
      const tokens = tokensOf(await foreign.service.getBranch(repository, 'main'));
      await foreign.service.commit(repository, 'main', { committer: 'bob', message });
      for (const token of tokens) while (!(await isEmptyPartition(seen[1], token))) await sleep(5);
    };
    afterEach(() => Promise.all([ours.stop(), foreign.stop()]));

    it('finds what was added', async () => {
      assert.equal((await service.get(repository, 'main', key('added')))?.identity.toString(), 'after');
    });

    it('shows what was changed as it is now', async () => {
      assert.equal((await service.get(repository, 'main', key('changed')))?.identity.toString(), 'after');
    });

    for (const path of ['added', 'removed'])
      it(`shows no older write of a partition that is emptied after the newer one: ${path}`, async () => {
        const { stagingToken: older } = await service.getBranch(repository, 'main');
        const rows: KvEntry[] = [];
        for await (const page of seen[1].scan(older)) rows.push(...page);
        await leaveSealed();
        await service.set(repository, 'main', key(path), value('newest'));
        const { stagingToken: newer } = await service.getBranch(repository, 'main');
        kv.beforeReadOf(
          partition => partition === newer,
          async () => {
            await commitAndEmpty('between the partitions');
            for (const row of rows) await seen[1].set(older, row.key, row.value);
          },
        );
        assert.equal((await service.get(repository, 'main', key(path)))?.identity.toString(), 'newest');
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
        () => commitAndEmpty('between two pages'),
      );
      assert.deepEqual(await contentsOf(service, repository, 'main'), { added: 'after', changed: 'after', zebra: 'after' });
      assert.ok(reads >= 2);
    });

    it('shows what is uncommitted as of one moment', async () => {
      const shown = (await collect(service.uncommittedRecords(repository, 'main'))).map(d => d.key.toString());
      assert.ok([0, 4].includes(shown.length), shown.join());
    });

    it('refuses to write what must be absent over what was committed meanwhile', async () => {
      const absent = { condition: (current: unknown) => current === undefined };
      await assert.rejects(service.set(repository, 'main', key('added'), value('again'), absent), { code: 'precondition_failed' });
      assert.equal((await service.get(repository, 'main', key('added')))?.identity.toString(), 'after');
    });

    it('rejects the same write after a commit that retired its partition', async () => {
      await leaveSealed();
      const absent = { condition: (current: unknown) => current === undefined };
      await assert.rejects(service.set(repository, 'main', key('added'), value('again'), absent), { code: 'precondition_failed' });
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
