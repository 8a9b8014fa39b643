/** Cases of the key-value suite about compare-and-set, alone and against others. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { absent, present } from '@srv/kernel';
import { collect, seededRandom } from '@srv/kernel/testing';
import { bytes, newPartition } from './kv-case.js';
import type { KvCase } from './kv-case.js';

export function kvConditionCases({ store }: KvCase): void {
  it('setIf absent inserts once', async () => {
    const partition = newPartition();
    assert.equal(await store().setIf(partition, bytes('k'), bytes('first'), absent), true);
    assert.equal(await store().setIf(partition, bytes('k'), bytes('second'), absent), false);
    assert.deepEqual((await store().get(partition, bytes('k')))?.value, bytes('first'));
    await store().delete(partition, bytes('k'));
    assert.equal(await store().setIf(partition, bytes('k'), bytes('third'), absent), true);
  });

  it('setIf absent sees an empty value as present', async () => {
    const partition = newPartition();
    await store().set(partition, bytes('k'), bytes(''));
    assert.equal(await store().setIf(partition, bytes('k'), bytes('v'), absent), false);
  });

  it('setIf present updates only what exists', async () => {
    const partition = newPartition();
    assert.equal(await store().setIf(partition, bytes('k'), bytes('v'), present), false);
    assert.equal(await store().get(partition, bytes('k')), undefined);
    await store().set(partition, bytes('k'), bytes(''));
    assert.equal(await store().setIf(partition, bytes('k'), bytes('v'), present), true);
    assert.deepEqual((await store().get(partition, bytes('k')))?.value, bytes('v'));
  });

  it('setIf with a predicate updates only what was read', async () => {
    const partition = newPartition();
    await store().set(partition, bytes('k'), bytes('one'));
    const read = await store().get(partition, bytes('k'));
    assert.ok(read);
    assert.equal(await store().setIf(partition, bytes('k'), bytes('two'), read.predicate), true);
    assert.equal(await store().setIf(partition, bytes('k'), bytes('three'), read.predicate), false);
    assert.deepEqual((await store().get(partition, bytes('k')))?.value, bytes('two'));
  });

  it('setIf with a predicate writes nothing when the key is gone', async () => {
    const partition = newPartition();
    await store().set(partition, bytes('k'), bytes('one'));
    const read = await store().get(partition, bytes('k'));
    assert.ok(read);
    await store().delete(partition, bytes('k'));
    assert.equal(await store().setIf(partition, bytes('k'), bytes('two'), read.predicate), false);
    assert.equal(await store().get(partition, bytes('k')), undefined);
  });

  it('the predicate of an empty value works', async () => {
    const partition = newPartition();
    await store().set(partition, bytes('k'), bytes(''));
    const read = await store().get(partition, bytes('k'));
    assert.ok(read);
    assert.equal(read.value.length, 0);
    assert.equal(await store().setIf(partition, bytes('k'), bytes('v'), read.predicate), true);
    assert.equal(await store().setIf(partition, bytes('k'), bytes('w'), read.predicate), false);
    await store().delete(partition, bytes('k'));
    assert.equal(await store().setIf(partition, bytes('k'), bytes('w'), read.predicate), false);
  });

  it('setIf may write an empty value and the value already there', async () => {
    const partition = newPartition();
    assert.equal(await store().setIf(partition, bytes('k'), bytes(''), absent), true);
    const read = await store().get(partition, bytes('k'));
    assert.ok(read);
    assert.equal(await store().setIf(partition, bytes('k'), bytes(''), read.predicate), true);
    assert.deepEqual((await store().get(partition, bytes('k')))?.value, bytes(''));
  });

  it('of two writers with one predicate the first wins, also when both run at once', async () => {
    const partition = newPartition();
    await store().set(partition, bytes('k'), bytes('start'));
    const read = await store().get(partition, bytes('k'));
    assert.ok(read);
    const won = await Promise.all(['a', 'b', 'c', 'd'].map(v => store().setIf(partition, bytes('k'), bytes(v), read.predicate)));
    assert.equal(won.filter(Boolean).length, 1);
    const winner = ['a', 'b', 'c', 'd'][won.indexOf(true)];
    assert.equal((await store().get(partition, bytes('k')))?.value.toString(), winner);
  });
}

export function kvConcurrencyCases({ store }: KvCase): void {
  it('loses no update when many workers increment one counter', async () => {
    const partition = newPartition();
    const key = bytes('counter');
    const [workers, increments] = [16, 15];
    const increment = async (): Promise<void> => {
      for (;;) {
        const read = await store().get(partition, key);
        const next = bytes(String(Number(read?.value ?? 0) + 1));
        if (await store().setIf(partition, key, next, read?.predicate ?? absent)) return;
      }
    };
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (let i = 0; i < increments; i++) await increment();
      }),
    );
    assert.equal((await store().get(partition, key))?.value.toString(), String(workers * increments));
  });

  it('lets one of many concurrent inserts win, for each of many keys', async () => {
    const partition = newPartition();
    const keys = Array.from({ length: 20 }, (_, i) => bytes(`key-${i}`));
    const tries = keys.flatMap(key => Array.from({ length: 5 }, (_, i) => ({ key, value: bytes(`writer-${i}`) })));
    const won = await Promise.all(tries.map(({ key, value }) => store().setIf(partition, key, value, absent)));
    for (const key of keys) {
      const winners = tries.filter((t, i) => t.key === key && won[i]);
      assert.equal(winners.length, 1);
      assert.deepEqual((await store().get(partition, key))?.value, winners[0]?.value);
    }
  });

  it('agrees with a plain map over a random sequence of operations', async () => {
    const partition = newPartition();
    const { seed, below, choose } = seededRandom();
    const model = new Map<string, string>();
    const names = Array.from({ length: 12 }, (_, i) => `k${'x'.repeat(i % 3)}${i}`);
    for (let step = 0; step < 150; step++) {
      const name = choose(names);
      const value = 'v'.repeat(below(4));
      const context = `seed ${seed}, step ${step}, key ${name}`;
      const old = model.get(name);
      const operation = choose(['get', 'set', 'absent', 'present', 'predicate', 'delete', 'scan'] as const);
      if (operation === 'get') assert.equal((await store().get(partition, bytes(name)))?.value.toString(), old, context);
      else if (operation === 'scan') {
        const found = (await collect(store().scan(partition, { start: bytes(name) }))).map(e => [e.key.toString(), e.value.toString()]);
        assert.deepEqual(
          found,
          [...model].filter(([k]) => k >= name).sort(([a], [b]) => (a < b ? -1 : 1)),
          context,
        );
      } else if (operation === 'delete') {
        await store().delete(partition, bytes(name));
        model.delete(name);
      } else {
        const read = operation === 'predicate' ? await store().get(partition, bytes(name)) : undefined;
        const condition = operation === 'absent' ? absent : operation === 'present' ? present : (read?.predicate ?? absent);
        const expected = operation === 'absent' ? old === undefined : operation === 'present' ? old !== undefined : true;
        if (operation === 'set') await store().set(partition, bytes(name), bytes(value));
        else assert.equal(await store().setIf(partition, bytes(name), bytes(value), condition), expected, context);
        if (expected) model.set(name, value);
      }
    }
  });
}
