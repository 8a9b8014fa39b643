import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { blocksOf, digested, inParallel } from '../../src/block/index.js';

async function* chunks(...sizes: number[]): AsyncGenerator<Buffer> {
  let next = 0;
  for (const size of sizes) yield Buffer.from(Array.from({ length: size }, () => next++ & 0xff));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('a body is cut into blocks of one size, the rest at the end', async () => {
  for (const [sizes, blocks] of [
    [[], []],
    [[0], []],
    [[4], [4]],
    [
      [3, 2],
      [4, 1],
    ],
    [
      [1, 1, 1, 1, 1],
      [4, 1],
    ],
    [[13], [4, 4, 4, 1]],
    [
      [4, 4],
      [4, 4],
    ],
    [
      [2, 9, 1],
      [4, 4, 4],
    ],
  ] as const) {
    const found = await all(blocksOf(chunks(...sizes), 4));
    assert.deepEqual(
      found.map(b => b.length),
      blocks,
    );
    assert.deepEqual(Buffer.concat(found.flatMap(b => b.chunks)), Buffer.concat(await all(chunks(...sizes))));
  }
});

test('large chunks are not copied, small ones are put together', async () => {
  const large = Buffer.alloc(100_000, 'x');
  const [block] = await all(
    blocksOf([large, ...Array.from({ length: 1000 }, () => Buffer.alloc(100, 'y'))] as unknown as AsyncIterable<Buffer>, 1 << 20),
  );
  assert.equal(block?.length, 200_000);
  assert.equal(block.chunks[0]?.buffer, large.buffer);
  assert.equal(block.chunks.length, 3);
});

test('the hash is that of all bytes, however large the chunks', async () => {
  const body = Buffer.alloc(5 << 20, 'abc');
  const { chunks, digest } = digested([body.subarray(0, 10), body.subarray(10)] as unknown as AsyncIterable<Buffer>);
  assert.ok(Buffer.concat(await all(chunks)).equals(body));
  assert.equal(digest().toString('hex'), createHash('md5').update(body).digest('hex'));
});

test('a hash that is known is asked for once, when the body has passed, and may take a while', async () => {
  let asked = 0;
  const known = (): Promise<string> => sleep(5, `0${++asked}`);
  const { chunks, digest } = digested([Buffer.from('a')] as unknown as AsyncIterable<Buffer>, known);
  for await (const chunk of chunks) assert.deepEqual([chunk.toString(), asked], ['a', 0]);
  assert.deepEqual(digest(), Buffer.of(1));
  assert.equal(asked, 1);
});

test('works on at most the given number of items at a time, whatever the order in which they end', async () => {
  let [running, most] = [0, 0];
  const done: number[] = [];
  const work = async (item: number, index: number): Promise<void> => {
    most = Math.max(most, ++running);
    assert.equal(item, index * 10);
    await sleep(item % 3);
    running--;
    done.push(item);
  };
  await inParallel([0, 10, 20, 30, 40, 50, 60], 3, work, new AbortController());
  assert.equal(most, 3);
  assert.deepEqual(
    done.sort((a, b) => a - b),
    [0, 10, 20, 30, 40, 50, 60],
  );
});

test('the first failure ends the others, stops the reading, and is thrown after all have ended', async () => {
  const failed = new AbortController();
  let [read, begun, ended] = [0, 0, 0];
  const items = async function* (): AsyncGenerator<number> {
    for (; ; read++) yield read;
  };
  const work = async (item: number): Promise<void> => {
    begun++;
    if (item === 1) throw new Error('the second');
    await sleep(5000, undefined, { signal: failed.signal }).catch(() => ended++);
  };
  await assert.rejects(() => inParallel(items(), 3, work, failed), /the second/);
  assert.ok(read <= 3);
  assert.equal(ended, begun - 1);
  assert.equal(failed.signal.aborted, true);
});

test('a failure of the sequence is thrown', async () => {
  const items = async function* (): AsyncGenerator<number> {
    yield 1;
    throw new Error('no more');
  };
  await assert.rejects(() => inParallel(items(), 2, async () => undefined, new AbortController()), /no more/);
});
