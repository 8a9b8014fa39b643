/** Scan cases of the key-value suite: order, limits, and writers that interfere. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collect } from '@srv/kernel/testing';
import { byteOrder, bytes, newPartition } from './kv-case.js';
import type { KvStore } from '@srv/kernel';
import type { KvCase } from './kv-case.js';

const names = (count: number, prefix = 'key-'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(6, '0')}`);

/** Writes keys with their own name as value, many at a time. */
async function fill(store: KvStore, partition: string, keys: readonly string[]): Promise<void> {
  for (let i = 0; i < keys.length; i += 500) {
    await Promise.all(keys.slice(i, i + 500).map(k => store.set(partition, bytes(k), bytes(k))));
  }
}

const keysOf = async (store: KvStore, partition: string, start?: string): Promise<string[]> =>
  (await collect(store.scan(partition, start === undefined ? {} : { start: bytes(start) }))).map(e => e.key.toString());

export function kvScanCases({ store }: KvCase): void {
  it('scans nothing in an unknown partition', async () => {
    assert.deepEqual(await collect(store().scan(newPartition())), []);
  });

  it('scans in unsigned byte order with keys and values', async () => {
    const partition = newPartition();
    const keys = ['b', 'a', 'ab', 'a/', 'a!', 'B', 'é', 'z', '😀', 'a\u0000', '\uffee'];
    await fill(store(), partition, keys);
    const entries = await collect(store().scan(partition));
    assert.deepEqual(
      entries.map(e => e.key),
      keys.map(bytes).sort(byteOrder),
    );
    for (const { key, value } of entries) assert.deepEqual(value, key);
  });

  it('starts at the first key not below start', async () => {
    const partition = newPartition();
    await fill(store(), partition, ['a', 'c', 'e']);
    assert.deepEqual(await keysOf(store(), partition, 'a'), ['a', 'c', 'e']);
    assert.deepEqual(await keysOf(store(), partition, 'b'), ['c', 'e']);
    assert.deepEqual(await keysOf(store(), partition, 'c'), ['c', 'e']);
    assert.deepEqual(await keysOf(store(), partition, 'c\u0000'), ['e']);
    assert.deepEqual(await keysOf(store(), partition, 'f'), []);
    assert.deepEqual(await keysOf(store(), partition, ''), ['a', 'c', 'e']);
    assert.deepEqual((await collect(store().scan(partition, { start: Buffer.alloc(40, 0xff) }))).length, 0);
  });

  it('batchSize bounds the first page and nothing else', async () => {
    const partition = newPartition();
    const keys = names(30);
    await fill(store(), partition, keys);
    for (const batchSize of [1, 7, 30, 100_000]) {
      const sizes: number[] = [];
      const found: string[] = [];
      for await (const page of store().scan(partition, { batchSize })) {
        sizes.push(page.length);
        found.push(...page.map(e => e.key.toString()));
      }
      assert.ok((sizes[0] ?? 0) <= batchSize, `first page of ${sizes[0]} entries, batchSize ${batchSize}`);
      assert.deepEqual(found, keys);
    }
    assert.equal((await collect(store().scan(partition, { batchSize: 0 }))).length, keys.length, 'none means the default');
  });

  it('scans 5,000 entries, whole and from the middle', async () => {
    const partition = newPartition();
    const keys = names(5000);
    await fill(store(), partition, keys);
    assert.deepEqual(await keysOf(store(), partition), keys);
    assert.deepEqual(await keysOf(store(), partition, keys[2500]), keys.slice(2500));
  });

  it('may be left early, many times', async () => {
    const partition = newPartition();
    await fill(store(), partition, names(20));
    for (let i = 0; i < 50; i++) {
      for await (const page of store().scan(partition, { batchSize: 1 })) {
        assert.equal(page[0]?.key.toString(), names(1)[0]);
        break;
      }
    }
  });

  it('deleting every key as it is read neither fails nor loops', async () => {
    const partition = newPartition();
    const keys = names(300);
    await fill(store(), partition, keys);
    const seen: string[] = [];
    for await (const page of store().scan(partition, { batchSize: 3 })) {
      for (const { key } of page) {
        seen.push(key.toString());
        await store().delete(partition, key);
      }
    }
    assert.deepEqual(seen, keys);
    assert.deepEqual(await keysOf(store(), partition), []);
  });

  it('deleting keys further ahead leaves the scan in order and complete for the rest', async () => {
    const partition = newPartition();
    const [early, late] = [names(50, 'a-'), names(50, 'b-')];
    await fill(store(), partition, [...early, ...late]);
    const seen: string[] = [];
    for await (const page of store().scan(partition, { batchSize: 5 })) {
      if (seen.length === 0) for (const key of late) await store().delete(partition, bytes(key));
      seen.push(...page.map(e => e.key.toString()));
    }
    assert.deepEqual(seen.slice(0, 50), early);
    assert.deepEqual(seen, [...new Set(seen)].sort());
    assert.ok(seen.slice(50).every(k => late.includes(k)));
  });

  it('deleting the last keys so that the next page is empty ends the scan', async () => {
    const partition = newPartition();
    const keys = names(11);
    await fill(store(), partition, keys);
    const seen: string[] = [];
    for await (const page of store().scan(partition, { batchSize: 10 })) {
      if (seen.length === 0) await store().delete(partition, bytes(keys[10] ?? ''));
      seen.push(...page.map(e => e.key.toString()));
    }
    assert.deepEqual(seen.slice(0, 10), keys.slice(0, 10));
    assert.ok(seen.length <= 11);
  });

  it('writing while scanning neither fails, nor loops, nor repeats a key', async () => {
    const partition = newPartition();
    const keys = names(100);
    await fill(store(), partition, keys);
    const seen: string[] = [];
    let written = 0;
    for await (const page of store().scan(partition, { batchSize: 10 })) {
      for (const { key } of page) {
        seen.push(key.toString());
        if (written++ > 300) continue;
        await store().set(partition, key, bytes('changed'));
        await store().set(partition, Buffer.concat([key, bytes('-after')]), bytes('new'));
      }
    }
    assert.deepEqual(seen, [...new Set(seen)].sort());
    assert.deepEqual(
      seen.filter(k => !k.endsWith('-after')),
      keys,
    );
  });

  it('two scans of one partition do not disturb each other', async () => {
    const partition = newPartition();
    const keys = names(40);
    await fill(store(), partition, keys);
    const [first, second] = await Promise.all([keysOf(store(), partition), keysOf(store(), partition, keys[20])]);
    assert.deepEqual(first, keys);
    assert.deepEqual(second, keys.slice(20));
  });
}
