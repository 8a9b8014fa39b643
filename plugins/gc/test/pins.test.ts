/** Pins and batches: who waits for whom, and that nothing goes that an operation in progress has found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pin, pinsOf } from '@srv/engine/refs/pins';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore, until } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { inParallel } from '@srv/lib-stores/block';
import { Lease, LeaseWatch, readLease } from '../src/run/lease.js';
import { withoutBeats } from './collectors.js';
import { pick, randomFrom } from './random.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { LeaseTimes } from '../src/run/lease.js';

const leaseKey = Buffer.from('gc/lease');
const content = { addresses: ['data/x'] };
/** Reads of a lease after which a wait counts as one that does not end. */
const manyLooks = 20;

const repository: Repository = {
  id: 'repo',
  instanceUid: 'uid',
  storageNamespace: 'mem://bucket/repo',
  storageId: '',
  defaultBranch: 'main',
  creationDate: new Date(0),
  state: 'active',
  readOnly: false,
};

async function leaseOn(kv: KvStore, times: LeaseTimes = withoutBeats): Promise<Lease> {
  const watch = new LeaseWatch(times);
  const lease = await Lease.take(repository, 'run', { kv, log: silentLogger, watch, times, isUnfinished: async () => false });
  assert.ok(lease instanceof Lease);
  return lease;
}

/** The store, which calls `before` when the lease is read, with the number of the read. */
function watched(kv: KvStore, before: (read: number) => Promise<void>): KvStore {
  let reads = 0;
  return changed(kv, 'get', async (...args) => {
    if (args[1].equals(leaseKey)) await before(++reads);
    return kv.get(...args);
  });
}

/** The store with another method in place of one of its own. */
function changed<Name extends 'get' | 'setIf'>(kv: KvStore, method: Name, replacement: KvStore[Name]): KvStore {
  return new Proxy(kv, {
    get(target, name) {
      if (name === method) return replacement;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Something that is awaited until it is let go. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>(resolve => (open = resolve));
  return { passed, open };
}

describe('an operation that finds an announced batch', () => {
  it('waits for its end alone, though the next one is announced before anything looks', async () => {
    const kv = new MemoryKvStore('shared');
    const lease = await leaseOn(kv);
    let ended = 0;
    /** Begins a batch. @returns what ends it. */
    const begin = async (): Promise<() => Promise<void>> => {
      const [announced, end] = [gate(), gate()];
      const batch = lease.inBatch(async () => {
        announced.open();
        await end.passed;
      });
      await announced.passed;
      return async () => {
        end.open();
        await batch;
        ended++;
      };
    };
    let end = await begin();
    const store = watched(kv, async read => {
      if (read === 1) return;
      assert.ok(read < manyLooks, `${ended} batches have ended, and it still waits`);
      await end();
      end = await begin();
    });
    const release = await pin(repository, content, { kv: store, times: withoutBeats });
    assert.equal(ended, 1);
    await end();
    await release();
    await lease.release();
  });

  it('waits as long as the batch lasts and its server shows signs of life, of an earlier version, too', async () => {
    for (const batch of [{ batch: 3 }, {}]) {
      const kv = new MemoryKvStore('shared');
      const set = (beat: number, deleting: boolean) =>
        kv.set(
          partitionOf(repository),
          leaseKey,
          Buffer.from(JSON.stringify({ owner: 'o', run: 'r', epoch: 1, beat, deleting, ...batch })),
        );
      await set(0, true);
      let isOver = false;
      const store = watched(kv, async read => {
        assert.equal(isOver, false);
        await set(read, read < manyLooks);
      });
      await pin(repository, content, { kv: store, times: withoutBeats }).then(() => (isOver = true));
      const { state } = await readLease(kv, repository);
      assert.deepEqual([state.beat, state.deleting], [manyLooks, false]);
    }
  });

  it('does not wait for a batch that has failed', async () => {
    const kv = new MemoryKvStore('shared');
    const lease = await leaseOn(kv);
    await assert.rejects(
      lease.inBatch(async () => {
        throw new Error('the store is away');
      }),
      /the store is away/,
    );
    const store = watched(kv, async read => assert.ok(read < manyLooks, 'it still waits'));
    await (await pin(repository, content, { kv: store, times: withoutBeats }))();
    await lease.release();
  });
});

it('a batch is announced although the answer to a sign of life before it was lost', async () => {
  const kv = new MemoryKvStore('shared');
  let isLosing = false;
  const store = changed(kv, 'setIf', async (...args) => {
    const isStored = await kv.setIf(...args);
    if (!isLosing) return isStored;
    isLosing = false;
    throw new Error('connection lost');
  });
  const lease = await leaseOn(store, { ...withoutBeats, beat: 50 });
  isLosing = true;
  await until(() => !isLosing);
  const { isAnnounced } = await lease.inBatch(async () => ({ isAnnounced: (await readLease(kv, repository)).state.deleting }));
  assert.deepEqual([isAnnounced, (await readLease(kv, repository)).state.deleting], [true, false]);
  await lease.release();
  assert.equal((await readLease(kv, repository)).state.owner, '');
});

describe('batches that follow one another, and operations meanwhile', () => {
  const schedules = Number(process.env['SRV_SCHEDULES'] ?? 200);
  const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);

  it(`objects stay that an operation found after its pin (SRV_TEST_SEED=${firstSeed}, ${schedules} schedules)`, async () => {
    const seeds = Array.from({ length: schedules }, (_, i) => firstSeed + i);
    let refused = 0;
    let kept = 0;
    await inParallel(seeds, 8, async seed => {
      const { published, objects, missed } = await schedule(randomFrom(seed));
      const gone = [...published].filter(name => !objects.has(name));
      assert.deepEqual(gone, [], `seed ${seed}`);
      refused += missed;
      kept += published.size;
    });
    assert.ok(kept > 0 && refused > 0, `${kept} objects were kept, ${refused} operations came too late`);
  });
});

/** One collector that removes all objects that nothing refers to, and operations that refer to some again. */
async function schedule(random: () => number) {
  const kv = new MemoryKvStore('shared');
  const pause = async (): Promise<void> => {
    for (let left = Math.floor(random() * 6); left > 0; left--) await setImmediate();
  };
  const store = watched(kv, pause);
  const times = { ...withoutBeats, beat: 1, look: 1 };
  const names = Array.from({ length: 12 }, (_, i) => `data/${i}`);
  const objects = new Set(names);
  const published = new Set<string>();
  let missed = 0;
  const lease = await leaseOn(store, times);
  const collecting = async (): Promise<void> => {
    for (let at = 0; at < names.length; at += 3)
      await lease.inBatch(async () => {
        await pause();
        const pinned = new Set((await pinsOf(store, repository)).flatMap(({ content: { addresses = [] } }) => addresses));
        await pause();
        const garbage = names.slice(at, at + 3).filter(name => !pinned.has(name) && !published.has(name));
        for (const name of garbage) {
          await pause();
          objects.delete(name);
        }
      });
  };
  const operating = async (): Promise<void> => {
    for (let left = 4; left > 0; left--) {
      const name = pick(random, names);
      const release = await pin(repository, { addresses: [name] }, { kv: store, times });
      await pause();
      const isThere = objects.has(name);
      await pause();
      if (isThere) published.add(name);
      else missed++;
      await release();
    }
  };
  await Promise.all([collecting(), operating(), operating(), operating()]);
  await lease.release();
  return { published, objects, missed };
}
