import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { HeldPeak, rejectsWith } from '@srv/kernel/testing';
import { at, useAzurite } from './azurite.js';

const { open } = useAzurite();
const MiB = 1 << 20;

function* chunks(total: number, letter?: string): Generator<Buffer> {
  for (let i = 0; i < total / MiB; i++) yield Buffer.alloc(MiB, letter ?? i % 251);
}

test('400 MiB go up and down in bounded memory, with an MD5 as etag', async () => {
  const store = open();
  const size = 400 * MiB;
  const held = new HeldPeak();
  const sent = createHash('md5');
  const body = (function* () {
    for (const chunk of chunks(size)) {
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
  assert.deepEqual((({ size: found, etag }) => ({ found, etag }))(await store.properties(at('large'))), { found: size, etag: md5 });
  assert.ok(held.growth < 100 * MiB, `${held.growth} bytes were held`);
  await store.remove(at('large'));
});

test('of large writes of one key at the same time each succeeds and one is there, whole', async () => {
  const store = open();
  const size = 20 * MiB;
  const letters = ['a', 'b', 'c', 'd'];
  const written = await Promise.all(letters.map(letter => store.put(at('contended'), Readable.from(chunks(size, letter)), { size })));
  const md5s = letters.map(letter => createHash('md5').update(Buffer.alloc(size, letter)).digest('hex'));
  const { etag, lastModified } = await store.properties(at('contended'));
  assert.ok(md5s.includes(etag));
  assert.ok(written.every(w => w.lastModified <= lastModified));
  const received = createHash('md5');
  for await (const chunk of await store.get(at('contended'))) received.update(chunk as Buffer);
  assert.equal(received.digest('hex'), etag);
});

test('a large body of another size than announced leaves nothing, or what was there', async () => {
  const store = open();
  for (const size of [17 * MiB, 19 * MiB]) {
    await rejectsWith(() => store.put(at('mistaken'), Readable.from(chunks(18 * MiB)), { size }), 'invalid', /were announced/);
    assert.equal(await store.exists(at('mistaken')), false);
  }
  await store.put(at('mistaken'), Buffer.from('old'));
  await rejectsWith(() => store.put(at('mistaken'), Readable.from(chunks(18 * MiB)), { size: MiB }), 'invalid');
  assert.equal((await store.properties(at('mistaken'))).size, 3);
});
