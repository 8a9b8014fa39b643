/** Large bodies in threads: right checksums, bounded memory, and what happens to bodies and threads that end early. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel/errors';
import { BodyDigest, hashKind } from '../../src/checksums/body-digest.js';
import { crc32, crc32c } from '../../src/checksums/crc32.js';
import { crc64nvme } from '../../src/checksums/crc64.js';
import { HashThreads } from '../../src/checksums/hash-threads.js';
import type { TestContext } from 'node:test';
import type { DigestKind } from '../../src/checksums/body-digest.js';

const kinds: readonly DigestKind[] = [
  hashKind('md5'),
  hashKind('sha1'),
  hashKind('sha256'),
  { name: 'crc32', start: crc32 },
  { name: 'crc32c', start: crc32c },
  { name: 'crc64nvme', start: crc64nvme },
];

function pool(t: TestContext, options: ConstructorParameters<typeof HashThreads>[0] = {}): HashThreads {
  const threads = new HashThreads({ threads: 2, slotBytes: 1000, slots: 2, ...options });
  t.after(() => threads.close());
  return threads;
}

/** Bytes that differ from place to place. */
function bodyOf(length: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 31 + seed * 17 + (i >> 8)) & 0xff));
}

function expected(body: Buffer): string[] {
  return kinds.map(({ start }) => {
    const digest = start();
    digest.update(body);
    return digest.digest().toString('hex');
  });
}

async function digestOf(threads: HashThreads, body: Buffer, pieceBytes: number, waits = true): Promise<string[]> {
  const digest = new BodyDigest(kinds, threads);
  for (let at = 0; at < body.length; at += pieceBytes) {
    const behind = digest.update(body.subarray(at, at + pieceBytes));
    if (waits) await behind;
  }
  return (await digest.finish()).map(found => found.toString('hex'));
}

test('all checksums, for bodies and pieces of any length, whether or not the writer waits', async t => {
  const threads = pool(t);
  for (const length of [0, 1, 999, 1000, 1001, 2000, 4999, 50_000])
    for (const pieceBytes of [7, 1000, 1300, 100_000])
      for (const waits of [true, false]) {
        const body = bodyOf(length, pieceBytes);
        assert.deepEqual(await digestOf(threads, body, pieceBytes, waits), expected(body), `${length} bytes by ${pieceBytes}`);
      }
});

test('every slot of a thread is used again, the first one too', async t => {
  const threads = pool(t, { threads: 1, slots: 1 });
  const body = bodyOf(5000, 3);
  for (const waits of [true, false]) assert.deepEqual(await digestOf(threads, body, 700, waits), expected(body));
});

test('a body of less than a slot needs no thread and no waiting', t => {
  const threads = pool(t);
  const digest = new BodyDigest([hashKind('md5')], threads);
  assert.equal(digest.update(bodyOf(999, 0)), undefined);
  assert.deepEqual(digest.finish(), [createHash('md5').update(bodyOf(999, 0)).digest()]);
  assert.equal(threads.size, 0);
});

test('many bodies at once share the threads and their memory', async t => {
  const threads = pool(t);
  const bodies = Array.from({ length: 40 }, (_, i) => bodyOf(20_000 + i, i));
  const found = await Promise.all(bodies.map((body, i) => digestOf(threads, body, 300 + i, i % 2 === 0)));
  assert.deepEqual(found, bodies.map(expected));
  assert.ok(threads.size <= 2);
});

test('a writer that is too fast has to wait; abandoned bodies give back what they hold', async t => {
  const threads = pool(t, { threads: 1 });
  for (let i = 0; i < 20; i++) {
    const digest = new BodyDigest([hashKind('md5')], threads);
    const behind = digest.update(bodyOf(10_000, i));
    assert.ok(behind, 'two slots hold less than ten');
    digest.abandon();
    digest.abandon();
    await assert.rejects(behind, error => isSrvError(error, 'cancelled'));
    assert.equal(digest.update(bodyOf(10_000, i)), undefined, 'nothing is taken afterwards');
  }
  const body = bodyOf(50_000, 1);
  assert.deepEqual(await digestOf(threads, body, 1000), expected(body));
});

test('a thread that dies fails its bodies clearly; the next body has another thread', async t => {
  const threads = pool(t, { threads: 1 });
  const failed = (error: unknown): boolean => isSrvError(error, 'unavailable') && /send the body again/.test(error.message);
  const lost = [new BodyDigest(kinds, threads), new BodyDigest(kinds, threads), new BodyDigest(kinds, threads)] as const;
  for (const digest of lost) await digest.update(bodyOf(1000, 1));
  const waiting = lost[0].update(bodyOf(50_000, 1));
  const finishing = Promise.resolve(lost[1].finish());
  // A slot that does not exist: the thread throws.
  threads.begin(['md5']).hash(1000, 1000);
  await assert.rejects(Promise.resolve(waiting), failed);
  await assert.rejects(finishing, failed);
  await assert.rejects(async () => lost[2].finish(), failed);
  lost[0].abandon();
  assert.equal(threads.size, 0);
  const body = bodyOf(5000, 2);
  assert.deepEqual(await digestOf(threads, body, 1000), expected(body));
});

test('idle threads end; closing waits for bodies under way', async t => {
  const threads = pool(t, { threads: 1, idleLimit: 10 });
  await digestOf(threads, bodyOf(5000, 1), 1000);
  for (let round = 0; threads.size > 0; round++) {
    assert.ok(round < 1000, 'the idle thread is still there');
    await sleep(5);
  }
  const digest = new BodyDigest([hashKind('md5')], threads);
  await digest.update(bodyOf(1000, 1));
  await threads.close();
  assert.equal(threads.size, 0);
  await digest.update(bodyOf(1000, 2));
  const both = Buffer.concat([bodyOf(1000, 1), bodyOf(1000, 2)]);
  assert.deepEqual(await digest.finish(), [createHash('md5').update(both).digest()]);
});
