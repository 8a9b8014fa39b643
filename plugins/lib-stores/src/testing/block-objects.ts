/** Object cases of the block suite: writing, reading, ranges, properties, removal, copies. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { rejectsWith } from '@srv/kernel/testing';
import { streamLength } from '../block/stream-length.js';
import { newKey, pattern, read, relative, streamOf } from './block-case.js';
import type { BlockCase } from './block-case.js';

const sentence = Buffer.from('this is the first part this is the last part');

export function objectCases(suite: BlockCase): void {
  putCases(suite);
  failedPutCases(suite);
  getCases(suite);
  propertyCases(suite);
  copyCases(suite);
}

function putCases(suite: BlockCase): void {
  const { store } = suite;

  it('puts a buffer, a stream of known size and one of unknown size', async () => {
    const content = pattern(200_000);
    for (const [body, size] of [[content, content.length], [content], [streamOf(content), content.length], [streamOf(content)]] as const) {
      const pointer = relative(suite, newKey());
      const { lastModified } = await store().put(pointer, body, size === undefined ? {} : { size });
      assert.ok(Math.abs(Date.now() - lastModified.getTime()) < 300_000, `lastModified is about now, not ${lastModified.toISOString()}`);
      assert.ok((await read(store(), pointer)).equals(content));
    }
  });

  it('puts a stream of text as UTF-8', async () => {
    const pointer = relative(suite, newKey());
    await store().put(pointer, Readable.from(['one, ', 'zwei, ', 'três']));
    assert.equal((await read(store(), pointer)).toString(), 'one, zwei, três');
  });

  it('puts objects without bytes', async () => {
    for (const body of [Buffer.alloc(0), streamOf(Buffer.alloc(0))]) {
      for (const options of [{ size: 0 }, {}]) {
        const pointer = relative(suite, newKey());
        await store().put(pointer, Buffer.isBuffer(body) ? body : streamOf(Buffer.alloc(0)), options);
        assert.equal((await read(store(), pointer)).length, 0);
        assert.equal((await read(store(), pointer, { range: { start: 0, end: 10 } })).length, 0);
        assert.equal((await store().properties(pointer)).size, 0);
      }
    }
  });

  it('puts a stream of 12 MiB and one byte, of unknown size', async () => {
    const content = pattern((12 << 20) + 1);
    const pointer = relative(suite, newKey());
    await store().put(pointer, streamOf(content, { chunk: 1 << 20 }));
    const hash = createHash('sha256');
    for await (const chunk of await store().get(pointer)) hash.update(chunk as Buffer);
    assert.equal(hash.digest('hex'), createHash('sha256').update(content).digest('hex'));
  });

  it('replaces an object, with a longer and a shorter one', async () => {
    const pointer = relative(suite, newKey());
    for (const text of ['first', 'the second is longer', '3', '']) {
      await store().put(pointer, Buffer.from(text), { size: text.length });
      assert.equal((await read(store(), pointer)).toString(), text);
      assert.equal((await store().properties(pointer)).size, text.length);
    }
  });

  it('readers see the old object or the new one, never a part of either', async () => {
    const pointer = relative(suite, newKey());
    const size = 300_000;
    await store().put(pointer, Buffer.alloc(size, 'a'), { size });
    let writing = true;
    const readers = Array.from({ length: 3 }, async () => {
      while (writing) {
        const content = await read(store(), pointer);
        assert.equal(content.length, size);
        assert.ok(content.equals(Buffer.alloc(size, content.subarray(0, 1))), 'all bytes come from one writer');
        // Reads of a store in memory would leave the event loop no time for the threads of the writer.
        await setImmediate();
      }
    });
    for (const letter of 'bcdefgh') await store().put(pointer, streamOf(Buffer.alloc(size, letter), { chunk: 50_000 }), { size });
    writing = false;
    await Promise.all(readers);
    assert.equal((await read(store(), pointer)).subarray(0, 1).toString(), 'h');
  });

  it('of concurrent writers of one key one wins, whole', async () => {
    const pointer = relative(suite, newKey('deep/folder/object'));
    await Promise.all('abcdef'.split('').map(letter => store().put(pointer, streamOf(Buffer.alloc(100_000, letter)), { size: 100_000 })));
    const content = await read(store(), pointer);
    assert.ok(content.equals(Buffer.alloc(100_000, content.subarray(0, 1))));
  });
}

function failedPutCases(suite: BlockCase): void {
  const { store } = suite;
  const old = Buffer.from('what was there');

  it('refuses a body of another size than announced and leaves nothing', async () => {
    const content = pattern(100_000);
    for (const size of [content.length - 1, content.length + 1, 0]) {
      for (const body of [() => content, () => streamOf(content)]) {
        const pointer = relative(suite, newKey());
        await rejectsWith(() => store().put(pointer, body(), { size }), 'invalid');
        assert.equal(await store().exists(pointer), false);
        await store().put(pointer, old, { size: old.length });
        await rejectsWith(() => store().put(pointer, body(), { size }), 'invalid');
        assert.deepEqual(await read(store(), pointer), old);
      }
    }
  });

  it('a body that fails leaves nothing, or what was there', async () => {
    const pointer = relative(suite, newKey());
    const put = (): Promise<unknown> => store().put(pointer, streamOf(pattern(100_000), { fail: true }));
    await assert.rejects(put);
    assert.equal(await store().exists(pointer), false);
    await store().put(pointer, old, { size: old.length });
    await assert.rejects(put);
    assert.deepEqual(await read(store(), pointer), old);
  });

  it('an aborted put leaves nothing, or what was there', async () => {
    const pointer = relative(suite, newKey());
    const abortedPut = async (): Promise<void> => {
      const controller = new AbortController();
      const body = new PassThrough();
      body.on('error', () => undefined);
      body.write(pattern(100_000));
      const put = rejectsWith(() => store().put(pointer, body, { signal: controller.signal }), 'cancelled');
      setTimeout(() => controller.abort(), 30);
      await put;
      body.destroy();
    };
    await abortedPut();
    assert.equal(await store().exists(pointer), false);
    await store().put(pointer, old, { size: old.length });
    await abortedPut();
    assert.deepEqual(await read(store(), pointer), old);
  });

  it('a put aborted before it begins is cancelled', async () => {
    const pointer = relative(suite, newKey());
    await rejectsWith(() => store().put(pointer, old, { signal: AbortSignal.abort() }), 'cancelled');
    await rejectsWith(() => store().put(pointer, streamOf(old), { signal: AbortSignal.abort() }), 'cancelled');
    assert.equal(await store().exists(pointer), false);
  });
}

function getCases(suite: BlockCase): void {
  const { store } = suite;

  it('a missing object is no_data', async () => {
    for (const key of [newKey(), `${newKey()}/deeper/still`]) {
      await rejectsWith(() => store().get(relative(suite, key)), 'no_data');
      await rejectsWith(() => store().get(relative(suite, key), { range: { start: 0, end: 1 } }), 'no_data');
    }
  });

  it('an empty object is read as a stream of bytes without any', async () => {
    const pointer = relative(suite, newKey());
    await store().put(pointer, Buffer.alloc(0), { size: 0 });
    for (const options of [{}, { range: { start: 0, end: 10 } }]) {
      const stream = await store().get(pointer, options);
      assert.equal(stream.readableObjectMode, false, 'chunks are bytes, not objects');
      const chunks: unknown[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      assert.equal(Buffer.concat(chunks as Buffer[]).length, 0);
    }
  });

  it('a stream that says how many bytes it has says so truly', async () => {
    const pointer = relative(suite, newKey());
    for (const size of [0, 1, sentence.length, 300_000]) {
      await store().put(pointer, Buffer.alloc(size, 'x'), { size });
      for (const options of [
        {},
        { expectedSize: size },
        { expectedSize: size + 5 },
        { range: { start: 1, end: 5 } },
        { range: { start: 2, end: 900_000 } },
      ]) {
        const stream = await store().get(pointer, options);
        const [announced, bytes] = [streamLength(stream), await buffer(stream)];
        assert.equal(announced ?? bytes.length, bytes.length, `${size} bytes, ${JSON.stringify(options)}`);
      }
    }
  });

  it('reads ranges: both ends belong to them, the end is clamped, a start past the end yields nothing', async () => {
    const pointer = relative(suite, newKey());
    await store().put(pointer, sentence, { size: sentence.length });
    const last = sentence.length - 1;
    const ranges: readonly (readonly [number, number])[] = [
      [0, last],
      [0, 0],
      [last, last],
      [0, 21],
      [22, last],
      [5, 9],
      [0, sentence.length],
      [0, sentence.length + 10],
      [last, last + 1000],
      [sentence.length, sentence.length],
      [sentence.length, sentence.length + 5],
      [1000, 2000],
    ];
    for (const [start, end] of ranges) {
      assert.equal(
        (await read(store(), pointer, { range: { start, end } })).toString(),
        sentence.subarray(start, end + 1).toString(),
        `bytes ${start}-${end}`,
      );
    }
  });

  it('reads what is there, whatever size is expected', async () => {
    for (const size of [0, 1, 1000, 16_383, 16_384, 40_000]) {
      const pointer = relative(suite, newKey());
      const content = pattern(size);
      await store().put(pointer, content, { size });
      for (const expectedSize of [0, 1, size - 1, size, size + 1, 16_383, 16_384, 2 ** 40].filter(n => n >= 0)) {
        const all = await read(store(), pointer, { expectedSize });
        assert.ok(all.equals(content), `${size} bytes, ${expectedSize} expected: ${all.length} read`);
        const part = await read(store(), pointer, { expectedSize, range: { start: 1, end: 20_000 } });
        assert.ok(part.equals(content.subarray(1, 20_001)), `${size} bytes, ${expectedSize} expected: ${part.length} of a range`);
      }
    }
  });

  it('a reader that began before an overwrite or a removal finishes what it began', async () => {
    const content = pattern(3_000_000);
    const pointer = relative(suite, newKey());
    await store().put(pointer, content, { size: content.length });
    const stream = await store().get(pointer);
    const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const chunks = [(await iterator.next()).value as Buffer];
    await store().put(pointer, Buffer.from('new'), { size: 3 });
    await store().remove(pointer);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) chunks.push(next.value);
    assert.ok(Buffer.concat(chunks).equals(content));
  });

  it('a read can be cancelled before and on its way', async () => {
    const content = pattern(3_000_000);
    const pointer = relative(suite, newKey());
    await store().put(pointer, content, { size: content.length });
    await rejectsWith(() => store().get(pointer, { signal: AbortSignal.abort() }), 'cancelled');
    const controller = new AbortController();
    const stream = await store().get(pointer, { signal: controller.signal });
    await once(stream, 'readable');
    controller.abort();
    await assert.rejects(async () => {
      for await (const _ of stream);
    });
  });

  it('a stream that is not read to the end can be destroyed', async () => {
    const pointer = relative(suite, newKey());
    await store().put(pointer, pattern(1_000_000), { size: 1_000_000 });
    const stream = await store().get(pointer);
    stream.destroy();
    await once(stream, 'close');
    assert.equal((await read(store(), pointer)).length, 1_000_000);
  });
}

function propertyCases(suite: BlockCase): void {
  const { store } = suite;

  it('reports whether an object exists', async () => {
    const key = newKey('nested/deeper/object');
    await store().put(relative(suite, key), sentence, { size: sentence.length });
    assert.equal(await store().exists(relative(suite, key)), true);
    for (const missing of [newKey(), `${key}-not`, `${key}/below`, key.slice(0, key.lastIndexOf('/')), key.slice(0, -1)]) {
      assert.equal(await store().exists(relative(suite, missing)), false, missing);
    }
  });

  it('reports size, time and an etag without quotes that follows the content', async () => {
    const pointer = relative(suite, newKey());
    await store().put(pointer, sentence, { size: sentence.length });
    const first = await store().properties(pointer);
    assert.equal(first.size, sentence.length);
    assert.ok(Math.abs(Date.now() - first.lastModified.getTime()) < 300_000);
    assert.match(first.etag, /^[^"]+$/);
    assert.deepEqual(await store().properties(pointer), first);
    await store().put(pointer, Buffer.from(sentence).reverse(), { size: sentence.length });
    assert.notEqual((await store().properties(pointer)).etag, first.etag);
    await rejectsWith(() => store().properties(relative(suite, newKey())), 'no_data');
  });

  it('removes an object, and an absent one without error', async () => {
    const pointer = relative(suite, newKey());
    await store().remove(pointer);
    await store().put(pointer, sentence, { size: sentence.length });
    await store().remove(pointer);
    await store().remove(pointer);
    assert.equal(await store().exists(pointer), false);
    await rejectsWith(() => store().get(pointer), 'no_data');
    await store().put(pointer, sentence, { size: sentence.length });
    assert.deepEqual(await read(store(), pointer), sentence);
  });
}

function copyCases(suite: BlockCase): void {
  const { store } = suite;

  it('copies an object to a place that did not exist, and over one that did', async () => {
    const [source, destination] = [relative(suite, newKey('src')), relative(suite, newKey('export/to/dst'))];
    const content = pattern(500_000);
    await store().put(source, content, { size: content.length });
    await store().copy(source, destination);
    assert.ok((await read(store(), destination)).equals(content));
    await store().put(source, sentence, { size: sentence.length });
    assert.ok((await read(store(), destination)).equals(content), 'a copy is independent of its source');
    await store().copy(source, destination);
    assert.deepEqual(await read(store(), destination), sentence);
    assert.deepEqual(await read(store(), source), sentence);
  });

  it('copies between namespaces, and objects without bytes', async () => {
    const source = relative(suite, newKey());
    const destination = { ...relative(suite, newKey()), namespace: `${suite.namespace()}-other` };
    await store().put(source, Buffer.alloc(0), { size: 0 });
    await store().copy(source, destination);
    assert.equal((await read(store(), destination)).length, 0);
    await store().remove(destination);
  });

  it('copying a missing object is no_data and leaves nothing', async () => {
    const destination = relative(suite, newKey());
    await rejectsWith(() => store().copy(relative(suite, newKey()), destination), 'no_data');
    assert.equal(await store().exists(destination), false);
  });
}
