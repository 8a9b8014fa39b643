/** Bodies as operations read them. */
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { openPayload, readPayload } from '../src/body/payload.js';
import { S3Error } from '../src/protocol/errors.js';
import { HeaderLines } from '../src/protocol/headers.js';

const none = new HeaderLines([]);
const code = (error: unknown): unknown => (error instanceof S3Error ? error.code : error);

test('a body that does not move is given up; the connection survives', async () => {
  const source = new PassThrough();
  const payload = openPayload(source, { headers: none, mode: { kind: 'plain' }, idleLimit: 30 });
  source.write('a');
  await assert.rejects(readPayload(payload, 100), error => code(error) === 'RequestTimeout');
  assert.equal(source.destroyed, false);
  assert.equal(payload.failure()?.code, 'RequestTimeout');
});

test('nothing is read, and nothing fails, before somebody reads', async () => {
  const source = Readable.from([Buffer.from('toolong')]);
  const payload = openPayload(source, { headers: none, mode: { kind: 'plain', size: 3 } });
  await new Promise(resolve => setTimeout(resolve, 20));
  assert.equal(payload.failure(), undefined);
  await assert.rejects(readPayload(payload, 100), error => code(error) === 'IncompleteBody');
});

test('a source that is gone before it is read', async () => {
  const source = new PassThrough();
  source.destroy();
  const payload = openPayload(source, { headers: none, mode: { kind: 'plain' } });
  await assert.rejects(readPayload(payload, 100), error => code(error) === 'IncompleteBody');
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

test('documents have a limit', async () => {
  const payload = openPayload(Readable.from([Buffer.alloc(11)]), { headers: none, mode: { kind: 'plain' } });
  await assert.rejects(readPayload(payload, 10), error => code(error) === 'MalformedXML');
});
