/** Bodies that are shorter or longer than announced, or stop: nothing is stored, and the answer says why. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { CreateMultipartUploadCommand, GetObjectCommand, ListPartsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { until } from '@srv/kernel/testing';
import { s3Client } from './support/client.js';
import { exchange, headOf, send } from './support/raw.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import { needsBytes } from './support/transport.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
/** Waits only a moment for the rest of a body. */
let impatient: TestServer;
const Bucket = 'repo';

async function startFilled(values?: Readonly<Record<string, unknown>>): Promise<TestServer> {
  const started = await startServer(values);
  await createRepository(started, Bucket);
  return started;
}

before(async () => {
  server = await startFilled();
  impatient = await startFilled({ 'gateways.s3.body_timeout': '200ms' });
  client = s3Client(server);
  await client.send(new PutObjectCommand({ Bucket, Key: 'main/there', Body: 'as it was' }));
});
after(async () => {
  client.destroy();
  await server.stop();
  await impatient.stop();
});

const read = async (): Promise<string | undefined> =>
  (await client.send(new GetObjectCommand({ Bucket, Key: 'main/there' }))).Body?.transformToString();
const bytesOf = (request: RawRequest, body: Buffer, to = server): Buffer => Buffer.concat([headOf(request, `127.0.0.1:${to.port}`), body]);

for (const announced of [5, 100_000]) {
  const body = Buffer.alloc(announced + 20, 'b');
  const headers = { 'content-length': String(announced) };
  const put: RawRequest = { method: 'PUT', url: '/repo/main/there', headers, payloadHash: 'UNSIGNED-PAYLOAD' };

  test(`a body longer than its ${announced} bytes`, needsBytes, async () => {
    const files = storedFiles(server).length;
    const answer = await exchange(server.port, bytesOf(put, body));
    assert.deepEqual([answer.status, answer.code], [400, 'IncompleteBody'], answer.body);
    assert.match(answer.body, /more bytes than/);
    assert.equal(await read(), 'as it was');
    await until(() => storedFiles(server).length === files);
  });

  test(`a body shorter than its ${announced} bytes`, needsBytes, async () => {
    const files = storedFiles(server).length;
    const answer = await exchange(server.port, bytesOf(put, body.subarray(0, announced - 1)), 50);
    assert.ok(answer.status === 0 || answer.status >= 400, String(answer.status));
    assert.equal(await read(), 'as it was');
    await until(() => storedFiles(server).length === files);
  });

  test(`a body that stops before its ${announced} bytes`, async () => {
    const files = storedFiles(impatient).length;
    const answer = await exchange(impatient.port, bytesOf(put, body.subarray(0, announced - 1), impatient));
    assert.deepEqual([answer.status, answer.code], [408, 'RequestTimeout']);
    assert.equal((await send(impatient.port, { url: put.url })).status, 404);
    await until(() => storedFiles(impatient).length === files);
  });

  test(`a part longer than its ${announced} bytes`, needsBytes, async () => {
    const Key = 'main/parts';
    const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const url = `/repo/main/parts?partNumber=1&uploadId=${UploadId}`;
    const answer = await exchange(server.port, bytesOf({ ...put, url }, body));
    assert.deepEqual([answer.status, answer.code], [400, 'IncompleteBody']);
    assert.equal((await client.send(new ListPartsCommand({ Bucket, Key, UploadId }))).Parts, undefined);
  });
}

test('the next request is not taken for a longer body', async () => {
  const put: RawRequest = {
    method: 'PUT',
    url: '/repo/main/pipelined',
    headers: { 'content-length': '2' },
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
  const head = headOf(put, `127.0.0.1:${server.port}`).toString('latin1').replace('connection: close\r\n', '');
  const next = headOf({ url: '/repo?location' }, `127.0.0.1:${server.port}`);
  const text = await new Promise<string>(resolve => {
    const socket = connect(server.port, '127.0.0.1');
    let received = '';
    socket.on('data', piece => {
      received += piece.toString();
    });
    socket.on('close', () => resolve(received));
    socket.write(Buffer.concat([Buffer.from(`${head}ok`, 'latin1'), next]));
  });
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 2, text);
  assert.equal((await send(server.port, { url: '/repo/main/pipelined' })).body, 'ok');
});

/** What comes back when the second request follows the first response on the same connection. */
function inTurn(port: number, first: Buffer, second: Buffer): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', piece => {
      if (received === '') socket.write(second);
      received += piece.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    socket.write(first);
  });
}

test('the rest of a body that is refused in its middle does not block the connection', async () => {
  const next = headOf({ url: '/repo?location' }, `127.0.0.1:${server.port}`);
  for (const length of [30_000, 1_000_000]) {
    const body = Buffer.concat([Buffer.from('no chunk\r\n'), Buffer.alloc(length, 'b')]);
    const put: RawRequest = {
      method: 'PUT',
      url: '/repo/main/refused',
      headers: { 'content-length': String(body.length), 'x-amz-decoded-content-length': String(length) },
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    };
    const trailing = { ...put, headers: { ...put.headers, 'x-amz-trailer': 'x-amz-checksum-crc32' } };
    const head = headOf(trailing, `127.0.0.1:${server.port}`).toString('latin1').replace('connection: close\r\n', '');
    const text = await inTurn(server.port, Buffer.concat([Buffer.from(head, 'latin1'), body]), next);
    assert.match(text, /^HTTP\/1\.1 400 /, text);
    assert.match(text, /The chunked body is malformed/);
    assert.match(text, /HTTP\/1\.1 200 OK/, `no second response: ${text}`);
  }
});
