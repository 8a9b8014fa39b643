import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryKvStore, seededRandom } from '@srv/kernel/testing';
import { recordsBelow } from '../src/index.js';

const partition = 'p';

describe('records below a prefix', () => {
  it('equal those of a whole scan that begin with it, from any start, in pages of any size', async () => {
    const random = seededRandom();
    const kv = new MemoryKvStore();
    const letters = ['a', 'b', '/', 'é', '~'];
    const text = (most: number): string => Array.from({ length: random.below(most) + 1 }, () => random.choose(letters)).join('');
    for (let n = 0; n < 400; n++) await kv.set(partition, Buffer.from(text(5)), Buffer.from(String(n)));
    const all: (readonly [string, string])[] = [];
    for await (const page of kv.scan(partition)) for (const { key, value } of page) all.push([key.toString(), value.toString()]);
    for (let n = 0; n < 200; n++) {
      const [prefix, start, batchSize] = [text(2), random.below(2) === 0 ? '' : text(3), random.choose([undefined, 1, 2, 64] as const)];
      const found: (readonly [string, string])[] = [];
      const given = random.below(2) === 0 ? prefix : Buffer.from(prefix);
      for await (const { key, name, value } of recordsBelow(kv, partition, given, { start, batchSize })) {
        assert.equal(key.toString(), prefix + name);
        found.push([key.toString(), value.toString()]);
      }
      const from = Buffer.from(prefix + start);
      assert.deepEqual(
        found,
        all.filter(([key]) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), from) >= 0),
      );
    }
  });

  it('reads few records after the last one', async () => {
    const kv = new MemoryKvStore();
    for (let n = 0; n < 1000; n++) await kv.set(partition, Buffer.from(`b/${String(n).padStart(4, '0')}`), Buffer.from('x'));
    await kv.set(partition, Buffer.from('a/1'), Buffer.from('y'));
    const pages: number[] = [];
    const scan = kv.scan.bind(kv);
    kv.scan = async function* (...given) {
      for await (const page of scan(...given)) {
        pages.push(page.length);
        yield page;
      }
    };
    const names: string[] = [];
    for await (const { name } of recordsBelow(kv, partition, 'a/')) names.push(name);
    assert.deepEqual(names, ['1']);
    assert.ok(pages.length === 1 && (pages[0] ?? 0) <= 64, `pages of ${pages.join(', ')} records`);
  });
});
