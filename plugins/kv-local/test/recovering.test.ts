import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { ClassicLevel as Level } from 'classic-level';
import { RecoveringDatabase } from '../src/server/recovering-database.js';
import { LocalKvStore } from '../src/server/store.js';
import type { TestContext } from 'node:test';

const partition = 'p';
const key = (text: string): Buffer => Buffer.from(text);

describe('an embedded database whose disk fails', () => {
  it('is reopened after a failed write, keeps every acknowledged write and takes new ones', async t => {
    const { store, fail } = await open(t);
    await store.set(partition, key('before'), key('1'));
    fail({ writes: 1 });
    await rejectsWith(
      () => store.set(partition, key('failed'), key('1')),
      'storage_full',
      /cannot write: IO error: 000003.log: No space left on device/,
    );
    await store.set(partition, key('after'), key('1'));
    assert.equal((await store.get(partition, key('before')))?.value.toString(), '1');
    assert.deepEqual(await keysOf(store), ['after', 'before']);
    assert.equal(store.problem, undefined);
  });

  it('answers reads, refuses writes and names the problem until the disk works again', async t => {
    const { store, fail } = await open(t);
    await store.set(partition, key('before'), key('1'));
    fail({ writes: 1, openings: 3 });
    await rejectsWith(() => store.set(partition, key('failed'), key('1')), 'storage_full');
    for (;;) {
      const written = await store.set(partition, key('later'), key('1')).then(
        () => true,
        () => false,
      );
      if (written) break;
      assert.match(store.problem ?? '', /No space left on device|I\/O error/);
      await sleep(1);
    }
    assert.deepEqual(await keysOf(store), ['before', 'later']);
  });

  it('shows a failed write that has reached the disk all the same, also where nothing was before', async t => {
    const { store, fail } = await open(t);
    assert.deepEqual(await keysOf(store), []);
    fail({ writes: 1, afterwards: true });
    await rejectsWith(() => store.set(partition, key('in doubt'), key('1')), 'storage_full');
    await store.set('other', key('k'), key('1'));
    assert.deepEqual(await keysOf(store), ['in doubt']);
  });

  it('shows what the reopened database has, not what was read before', async t => {
    const { store, fail } = await open(t);
    const read = async (): Promise<string | undefined> => (await store.get(partition, key('a')))?.value.toString();
    await store.set(partition, key('a'), key('1'));
    fail({ writes: 1, afterwards: true, reopened: level => level.put(key('\0\u0001pa'), key('1')) });
    await rejectsWith(() => store.set(partition, key('a'), key('2')), 'storage_full');
    assert.deepEqual([await read(), await read(), await read()], ['2', '2', '2']);
    await store.set('other', key('k'), key('1'));
    assert.equal(await read(), '1');
  });

  it('continues scans from the last key they have returned', async t => {
    const { store, fail } = await open(t);
    const expected = Array.from({ length: 50 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    await Promise.all(expected.map(k => store.set(partition, key(k), key('v'))));
    const seen: string[] = [];
    for await (const page of store.scan(partition, { batchSize: 7 })) {
      seen.push(...page.map(entry => entry.key.toString()));
      fail({ writes: 1 });
      await store.set('other', key('k'), key('v')).catch(() => undefined);
    }
    assert.deepEqual(seen, expected);
  });

  it('can be closed while it cannot write', async t => {
    const { store, fail } = await open(t);
    fail({ writes: 1, openings: Infinity });
    await rejectsWith(() => store.set(partition, key('failed'), key('1')), 'storage_full');
    await store.close();
    await rejectsWith(() => store.get(partition, key('k')), 'closed');
  });
});

interface Faults {
  /** Batches that fail. */
  writes: number;
  /** Attempts to reopen the database that fail. */
  openings?: number;
  /** The failing batches happen all the same. */
  afterwards?: boolean;
  /** What a reopened database has lost of what could be read before. */
  reopened?: (level: Level<Buffer, Buffer>) => Promise<void>;
}

async function open(t: TestContext): Promise<{ store: LocalKvStore; fail(faults: Faults): void }> {
  const folder = await mkdtemp(join(tmpdir(), 'srv-kv-recovering-'));
  const level = new Level<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await level.open();
  const faults: Required<Faults> = { writes: 0, openings: 0, afterwards: false, reopened: async () => {} };
  const batch = level.batch.bind(level) as (changes: unknown, options: unknown) => Promise<void>;
  Object.assign(level, {
    async batch(changes: unknown, options: unknown): Promise<void> {
      if (faults.writes <= 0) return batch(changes, options);
      faults.writes--;
      if (faults.afterwards) await batch(changes, options);
      throw new Error('IO error: 000003.log: No space left on device');
    },
  });
  const database = new RecoveringDatabase(level, {
    retryMs: 5,
    reopen: async () => {
      if (faults.openings-- > 0) throw new Error('IO error: I/O error');
      await level.open();
      await faults.reopened(level);
    },
  });
  const store = new LocalKvStore(database, { syncWrites: true, prefetchSize: 10 });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { store, fail: given => Object.assign(faults, { openings: 0, afterwards: false }, given) };
}

async function keysOf(store: LocalKvStore): Promise<string[]> {
  return (await collect(store.scan(partition))).map(entry => entry.key.toString());
}
