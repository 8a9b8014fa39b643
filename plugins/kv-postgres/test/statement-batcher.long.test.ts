/** Requests that share a statement each get their own answer, also when connections break and others write the same records. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { absent, isSrvError } from '@srv/kernel';
import { collect, rejectsWith, seededRandom } from '@srv/kernel/testing';
import { FaultProxy } from '@srv/test-servers';
import { bytes, open, withPostgres } from './server.js';

await withPostgres(server => {
  test('one that cannot be stored does not stop the others', async () => {
    const store = await open(await server.createDatabase());
    const outcomes = await Promise.allSettled([
      store.set('p', bytes('good'), bytes('1')),
      store.set('p', randomBytes(5000), bytes('2')),
      store.setIf('p', bytes('new'), bytes('3'), absent),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const [, refused] = outcomes;
    assert.ok(
      refused?.status === 'rejected' && isSrvError(refused.reason, 'invalid'),
      String(refused?.status === 'rejected' && refused.reason),
    );
    assert.deepEqual((await store.get('p', bytes('good')))?.value, bytes('1'));
    assert.deepEqual((await store.get('p', bytes('new')))?.value, bytes('3'));
    await store.close();
  });

  test('of many that insert a record one succeeds, also from two programs', async () => {
    const url = await server.createDatabase();
    const stores = [await open(url), await open(url)];
    for (let round = 0; round < 5; round++) {
      const names = Array.from({ length: 30 }, (_, i) => `${round}-${i}`);
      const tries = stores.flatMap((store, s) =>
        names.map(async name => ({ name, s, won: await store.setIf('p', bytes(name), bytes(`${s}`), absent) })),
      );
      const winners = (await Promise.all(tries)).filter(({ won }) => won);
      assert.deepEqual(winners.map(({ name }) => name).sort(), names.toSorted());
      for (const { name, s } of winners) assert.deepEqual((await stores[1 - s]?.get('p', bytes(name)))?.value, bytes(`${s}`));
    }
    for (const store of stores) await store.close();
  });

  test('no read is older than its request, and acknowledged writes survive broken connections', async t => {
    const random = seededRandom();
    t.diagnostic(`SRV_TEST_SEED=${random.seed}`);
    const url = await server.createDatabase();
    const proxy = await FaultProxy.open(url);
    const stores = [await open(proxy.url), await open(url)];
    /** By partition and key: the number last acknowledged; absent: not known. */
    const known = new Map<string, number>();
    const busy = new Set<string>();
    let next = 1;
    const partitions = ['p', 'q', 'partition of a longer name'];
    const step = async (): Promise<void> => {
      const store = random.choose(stores);
      const [partition, key] = [random.choose(partitions), `k${random.below(12)}`];
      const name = `${partition}/${key}`;
      const before = known.get(name);
      const isOld = (value: Buffer | undefined): boolean => before !== undefined && known.get(name) === before && Number(value) !== before;
      if (random.below(3) > 0) {
        const asked = random.below(2) === 0;
        const [row] = asked ? [] : await collect(store.scan(partition, { start: bytes(key), batchSize: 1 }));
        const found = asked ? (await store.get(partition, bytes(key)))?.value : row?.key.equals(bytes(key)) ? row.value : undefined;
        assert.ok(!isOld(found), `seed ${random.seed}: ${name} was ${String(before)}, read ${String(found)}`);
        return;
      }
      // One writer of a record at a time, so that it is known what must be there.
      if (busy.has(name)) return;
      busy.add(name);
      known.delete(name);
      const number = next++;
      try {
        if (random.below(4) === 0) await store.delete(partition, bytes(key));
        else {
          await store.set(partition, bytes(key), bytes(String(number)));
          known.set(name, number);
        }
      } finally {
        busy.delete(name);
      }
    };
    const work = async (): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        await step().catch((error: unknown) => {
          if (!isSrvError(error, 'unavailable')) throw error;
        });
        if (random.below(200) === 0) proxy.cut();
      }
    };
    await Promise.all(Array.from({ length: 40 }, work));
    for (const [name, number] of known) {
      const [partition = '', key = ''] = name.split('/');
      assert.equal(Number((await stores[1]?.get(partition, bytes(key)))?.value), number, `seed ${random.seed}: ${name}`);
    }
    for (const store of stores) await store.close();
    await proxy.close();
  });

  test('close waits for what was asked before, and takes no more', async () => {
    const store = await open(await server.createDatabase());
    const writing = store.set('p', bytes('k'), bytes('v'));
    await store.close();
    await writing;
    await rejectsWith(() => store.get('p', bytes('k')), 'closed');
    await rejectsWith(() => store.set('p', bytes('k'), bytes('v')), 'closed');
  });
});
