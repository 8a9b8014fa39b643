import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { HeldPeak } from '@srv/kernel/testing';
import { at, useGs } from './served.js';

const { open } = useGs();
const MiB = 1 << 20;

test('400 MiB go up and down in bounded memory, with an MD5 as etag', async () => {
  const store = await open();
  const size = 400 * MiB;
  const held = new HeldPeak();
  const sent = createHash('md5');
  const body = (function* () {
    for (let i = 0; i < size / MiB; i++) {
      const chunk = Buffer.alloc(MiB, i % 251);
      sent.update(chunk);
      held.pass(chunk.length);
      yield chunk;
    }
  })();
  await store.put(at('large'), Readable.from(body, { objectMode: false, highWaterMark: MiB }));
  const received = createHash('md5');
  for await (const chunk of await store.get(at('large'))) {
    received.update(chunk as Buffer);
    held.pass((chunk as Buffer).length);
  }
  const md5 = sent.digest('hex');
  assert.equal(received.digest('hex'), md5);
  const properties = await store.properties(at('large'));
  assert.deepEqual([properties.size, properties.etag], [size, md5]);
  assert.ok(held.growth < 100 * MiB, `${held.growth} bytes were held`);
  await store.remove(at('large'));
});

test('of large writes of one key at the same time each succeeds and one is there, whole', async () => {
  const store = await open();
  const letters = ['a', 'b', 'c', 'd'];
  await Promise.all(letters.map(letter => store.put(at('contended'), Buffer.alloc(20 * MiB, letter))));
  const { etag } = await store.properties(at('contended'));
  assert.ok(
    letters.some(
      letter =>
        createHash('md5')
          .update(Buffer.alloc(20 * MiB, letter))
          .digest('hex') === etag,
    ),
  );
});

test('a body that ends exactly with a block, or one byte after it, arrives whole', async () => {
  const store = await open();
  for (const size of [8 * MiB, 8 * MiB + 1, 16 * MiB]) {
    await store.put(at('edge'), Readable.from([Buffer.alloc(size - 1, 'x'), Buffer.from('y')]));
    assert.equal((await store.properties(at('edge'))).size, size);
  }
});
