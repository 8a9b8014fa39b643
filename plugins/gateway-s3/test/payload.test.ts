/** Bodies as operations read them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { openPayload } from '../src/server/body/payload.js';
import { S3Error } from '../src/server/protocol/errors.js';
import { HeaderLines } from '../src/server/protocol/headers.js';
import type { Payload } from '../src/server/body/payload.js';

const none = new HeaderLines([]);
const code = (error: unknown): unknown => (error instanceof S3Error ? error.code : error);

const ways: Readonly<Record<string, (payload: Payload) => Promise<Buffer>>> = {
  'in one piece': payload => payload.whole(100),
  'as a stream': payload => buffer(payload.stream),
};

for (const [way, read] of Object.entries(ways)) {
  test(`a body that does not move is given up; the connection survives: ${way}`, async () => {
    const source = new PassThrough();
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain' }, idleLimit: 30 });
    source.write('a');
    await assert.rejects(read(payload), error => code(error) === 'RequestTimeout');
    assert.equal(source.destroyed, false);
    assert.equal(payload.failure()?.code, 'RequestTimeout');
  });

  test(`without a limit a body may stop for any time: ${way}`, async () => {
    const source = new PassThrough();
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain' }, idleLimit: 0 });
    source.write('slo');
    const content = read(payload);
    setTimeout(() => source.end('w'), 50);
    assert.equal((await content).toString(), 'slow');
  });

  test(`nothing is read, and nothing fails, before a consumer reads: ${way}`, async () => {
    const source = Readable.from([Buffer.from('toolong')]);
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain', size: 3 } });
    await new Promise(resolve => setTimeout(resolve, 20));
    assert.equal(payload.failure(), undefined);
    await assert.rejects(read(payload), error => code(error) === 'IncompleteBody');
  });

  test(`a source that is gone before it is read: ${way}`, async () => {
    const source = new PassThrough();
    source.destroy();
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain' } });
    await assert.rejects(read(payload), error => code(error) === 'IncompleteBody');
  });

  test(`a source that goes while it is read: ${way}`, async () => {
    const source = new PassThrough();
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain', size: 10 } });
    source.write('half');
    setImmediate(() => source.destroy());
    await assert.rejects(read(payload), error => code(error) === 'IncompleteBody');
  });

  test(`verifies announced size and checksums: ${way}`, async () => {
    const hashed = (text: string): Payload =>
      openPayload(Readable.from([Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))]), {
        headers: none,
        mode: { kind: 'hash', size: 4, sha256: createHash('sha256').update('good').digest('hex') },
      });
    assert.equal((await read(hashed('good'))).toString(), 'good');
    await assert.rejects(read(hashed('evil')), error => code(error) === 'XAmzContentSHA256Mismatch');
  });
}

test('a body in one piece that drips is given up, also where bodies may stop for any time; the connection survives', async () => {
  for (const idleLimit of [0, 120_000]) {
    const source = new PassThrough();
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain', size: 100 }, idleLimit, totalLimit: 60 });
    const drip = setInterval(() => source.write('a'), 5);
    await assert.rejects(payload.whole(100), error => code(error) === 'RequestTimeout');
    clearInterval(drip);
    assert.equal(source.destroyed, false);
    assert.equal(payload.failure()?.code, 'RequestTimeout');
  }
});

test('a slow reader holds the source back', async () => {
  let given = 0;
  const source = Readable.from(
    (function* () {
      for (; given < 1000; given++) yield Buffer.alloc(64 * 1024);
    })(),
    { objectMode: false },
  );
  const { stream } = openPayload(source, { headers: none, mode: { kind: 'plain' } });
  stream.once('readable', () => undefined);
  await new Promise(resolve => setTimeout(resolve, 50));
  assert.ok(given < 20, `${given} pieces were taken`);
  stream.destroy();
});

test('only the time of the client counts: a slow reader does not make it late', async () => {
  const piece = Buffer.alloc(64 * 1024, 'piece');
  const source = new PassThrough({ highWaterMark: 40 * piece.length });
  const payload = openPayload(source, { headers: none, mode: { kind: 'plain' }, idleLimit: 40 });
  for (let i = 0; i < 30; i++) source.write(piece);
  let length = 0;
  const reader = payload.stream[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const take = async (): Promise<void> => {
    length += (await reader.next()).value?.length ?? 0;
  };
  await take();
  for (let i = 0; i < 5; i++) {
    // Longer than a client may take.
    await new Promise(resolve => setTimeout(resolve, 100));
    await take();
  }
  assert.equal(payload.failure(), undefined);
  // Once everything has been taken in, the client is late.
  const takeAll = async (): Promise<never> => {
    for (;;) await take();
  };
  await assert.rejects(takeAll(), error => code(error) === 'RequestTimeout');
  assert.ok(length > 5 * piece.length);
});

test('a large stream is verified before it ends, and its MD5 is known afterwards', async () => {
  const piece = Buffer.alloc(64 * 1024, 'content');
  const body = Buffer.concat(Array.from({ length: 40 }, () => piece));
  const hex = (name: string): string => createHash(name).update(body).digest('hex');
  const md5 = Buffer.from(hex('md5'), 'hex').toString('base64');
  const open = (sha256: string, contentMd5 = md5): Payload =>
    openPayload(Readable.from(Array.from({ length: 40 }, () => piece)), {
      headers: new HeaderLines(['Content-MD5', contentMd5]),
      mode: { kind: 'hash', size: body.length, sha256 },
    });
  const payload = open(hex('sha256'));
  assert.ok((await buffer(payload.stream)).equals(body));
  assert.equal(await payload.md5(), hex('md5'));
  const evil = open('0'.repeat(64));
  await assert.rejects(buffer(evil.stream), error => code(error) === 'XAmzContentSHA256Mismatch');
  assert.equal(evil.failure()?.code, 'XAmzContentSHA256Mismatch');
  await assert.rejects(buffer(open(hex('sha256'), Buffer.alloc(16).toString('base64')).stream), error => code(error) === 'BadDigest');
});

test('a large stream without checksums does not wait for its MD5', async () => {
  const body = Buffer.alloc(3 << 20, 'content');
  const payload = openPayload(Readable.from([body.subarray(0, 2 << 20), body.subarray(2 << 20)]), {
    headers: none,
    mode: { kind: 'plain', size: body.length },
  });
  assert.throws(() => payload.md5(), /before its end/);
  assert.ok((await buffer(payload.stream)).equals(body));
  const found = payload.md5();
  assert.ok(found instanceof Promise);
  assert.equal(await found, createHash('md5').update(body).digest('hex'));
});

test('documents have a limit', async () => {
  const payload = openPayload(Readable.from([Buffer.alloc(11)]), { headers: none, mode: { kind: 'plain' } });
  await assert.rejects(payload.whole(10), error => code(error) === 'MalformedXML');
});
