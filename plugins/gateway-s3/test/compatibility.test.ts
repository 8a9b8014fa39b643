/** Details that clients of S3 rely on. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { s3Client } from './support/client.js';
import { presigned } from './support/presigned.js';
import { exchange, headOf, send, sign } from './support/raw.js';
import { accessKeyId, createRepository, secretAccessKey, startServer, storedFiles } from './support/server.js';
import { needsBytes } from './support/transport.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { RawAnswer, RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
const Bucket = 'repo';
const ask = (request: RawRequest): Promise<RawAnswer> => send(server.port, request);

before(async () => {
  server = await startServer();
  client = s3Client(server);
  await createRepository(server, Bucket);
  await ask({ method: 'PUT', url: '/repo/main/object', body: '0123456789' });
});
after(async () => {
  client.destroy();
  await server.stop();
});

test('version 2 signatures of a bucket, with and without its last slash', async () => {
  for (const sent of ['/repo', '/repo/', '/repo?location', '/repo/?location']) {
    for (const form of ['/repo', '/repo/']) {
      const date = new Date().toUTCString();
      const query = sent.includes('?') ? '?location' : '';
      const sha1 = createHmac('sha1', secretAccessKey).update(`GET\n\n\n${date}\n${form}${query}`).digest('base64');
      const answer = await ask({ url: sent, signed: false, headers: { date, authorization: `AWS ${accessKeyId}:${sha1}` } });
      assert.equal(answer.status, 200, `${sent} signed as ${form}`);
    }
  }
  const date = new Date().toUTCString();
  const other = createHmac('sha1', secretAccessKey).update(`GET\n\n\n${date}\n/repo/main/object/`).digest('base64');
  const headers = { date, authorization: `AWS ${accessKeyId}:${other}` };
  // A key with a slash at its end is another key.
  assert.equal((await ask({ url: '/repo/main/object', signed: false, headers })).code, 'SignatureDoesNotMatch');
});

test('an empty <branch>/ marks the root of a branch and stores nothing', async () => {
  const files = storedFiles(server).length;
  const made = await ask({ method: 'PUT', url: '/repo/main/', body: '' });
  assert.deepEqual([made.status, made.headers.etag], [200, `"${createHash('md5').digest('hex')}"`]);
  assert.equal((await ask({ method: 'PUT', url: '/repo/nobranch/', body: '' })).code, 'NoSuchBucket');
  assert.equal((await ask({ method: 'PUT', url: '/repo/main~1/', body: '' })).code, 'NoSuchBucket');
  assert.equal((await ask({ method: 'PUT', url: '/repo/main/', body: 'content' })).code, 'NoSuchKey');
  assert.equal((await ask({ method: 'PUT', url: '/repo/main', body: '' })).code, 'NoSuchKey');
  const md5 = { 'content-md5': createHash('md5').update('x').digest('base64') };
  assert.equal((await ask({ method: 'PUT', url: '/repo/main/', headers: md5, body: '' })).code, 'BadDigest');
  assert.equal(storedFiles(server).length, files);
});

test('an empty <branch>/ that is more than a marker is refused: nothing would be where the client expects it', async () => {
  const files = storedFiles(server).length;
  const refusals: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ 'x-amz-copy-source': 'repo/main/object' }, 'InvalidRequest'],
    [{ 'x-amz-copy-source': '' }, 'InvalidRequest'],
    [{ 'content-range': 'bytes 0-0/5' }, 'NotImplemented'],
    [{ 'x-amz-write-offset-bytes': '0' }, 'NotImplemented'],
    [{ 'if-match': '"d41d8cd98f00b204e9800998ecf8427e"' }, 'NoSuchKey'],
  ];
  for (const [headers, code] of refusals) {
    const what = JSON.stringify(headers);
    const answer = await ask({ method: 'PUT', url: '/repo/main/', headers, body: '' });
    assert.equal(answer.code, code, `${what}: ${answer.status}`);
    if (!Object.keys(headers).some(name => name.startsWith('x-amz-'))) continue;
    const url = presigned(server.port, { method: 'PUT', path: '/repo/main/', query: { 'x-amz-meta-a': 'b', ...headers } });
    assert.equal((await ask({ ...url, body: '' })).code, code, `${what} in the query`);
  }
  assert.equal(storedFiles(server).length, files);
  assert.equal((await ask({ url: '/repo/main/object' })).body, '0123456789');
  assert.equal((await ask({ method: 'PUT', url: '/repo/main/', headers: { 'if-none-match': '*' }, body: '' })).status, 200);
});

test('a piece of an object is not taken for the whole, wherever the request says so', async () => {
  for (const [name, value] of [
    ['x-amz-write-offset-bytes', '7'],
    ['content-range', 'bytes 0-3/100'],
  ] as const) {
    for (const path of ['/repo/main/object', '/repo/main/']) {
      const url = presigned(server.port, { method: 'PUT', path, query: { [name]: value } });
      assert.ok((await ask({ ...url, body: path === '/repo/main/' ? '' : 'piece' })).status >= 400, `${name} on ${path}`);
    }
  }
  assert.equal((await ask({ url: '/repo/main/object' })).body, '0123456789');
});

test('reads of a version: only the current one is there', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await ask({ method, url: '/repo/main/object?versionId=abc' });
    assert.deepEqual([answer.status, answer.code], [404, method === 'GET' ? 'NoSuchVersion' : '']);
    assert.equal((await ask({ method, url: '/repo/main/object?versionId=null' })).status, 200);
  }
  assert.equal((await ask({ url: '/repo/main/object?tagging&versionId=abc' })).code, 'NoSuchVersion');
  const copy = (version: string): Promise<RawAnswer> =>
    ask({ method: 'PUT', url: '/repo/main/copy', headers: { 'x-amz-copy-source': `repo/main/object?versionId=${version}` } });
  assert.equal((await copy('abc')).code, 'NoSuchVersion');
  assert.equal((await copy('null')).status, 200);
});

test('pre-signed URLs that have expired, or could not, are 403', async () => {
  const signedUrl = (expires: string, age = 0): RawRequest => presigned(server.port, { path: '/repo/main/object', expires, age });
  assert.equal((await ask(signedUrl('60'))).status, 200);
  const expired = await ask(signedUrl('60', 120));
  assert.deepEqual([expired.status, expired.code], [403, 'AccessDenied']);
  for (const expires of ['-7', '604801']) {
    const { status, code } = await ask(signedUrl(expires));
    assert.deepEqual([status, code], [403, 'AuthorizationQueryParametersError'], expires);
  }
});

test('distinguishes malformed checksums from wrong ones', async () => {
  const code = async (headers: Record<string, string>): Promise<string> =>
    (await ask({ method: 'PUT', url: '/repo/main/digest', headers, body: 'x' })).code;
  for (const md5 of ['', 'AAAA', 'not base64!', createHash('md5').update('x').digest('hex')])
    assert.equal(await code({ 'content-md5': md5 }), 'InvalidDigest', md5);
  assert.equal(await code({ 'content-md5': createHash('md5').update('y').digest('base64') }), 'BadDigest');
  for (const value of ['', 'bad', 'AAAA']) assert.equal(await code({ 'x-amz-checksum-crc32': value }), 'InvalidRequest', value);
  assert.equal(await code({ 'x-amz-checksum-crc32': 'AAAAAA==' }), 'BadDigest');
  // A checksum that cannot be verified must not look verified.
  assert.equal(await code({ 'x-amz-checksum-sha3': 'AAAAAA==' }), 'InvalidRequest');
  const list = '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>';
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'main/digest' }));
  const headers = { 'content-md5': createHash('md5').update('another list').digest('base64') };
  const completed = await ask({ method: 'POST', url: `/repo/main/digest?uploadId=${UploadId}`, headers, body: list });
  assert.equal(completed.code, 'BadDigest');
  await client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'main/digest', UploadId }));
});

test('answers for absent bucket settings as s3cmd expects', async () => {
  for (const [name, code] of [
    ['policy', 'NoSuchBucketPolicy'],
    ['cors', 'NoSuchCORSConfiguration'],
    ['tagging', 'NoSuchTagSet'],
    ['lifecycle', 'NoSuchLifecycleConfiguration'],
  ]) {
    const answer = await ask({ url: `/repo?${name}` });
    assert.deepEqual([answer.status, answer.code], [404, code]);
  }
});

test('a client without credentials that waits is refused before it sends its body', async () => {
  const headers = { host: 's3.localhost', expect: '100-continue', 'content-length': '5' };
  const answer = await ask({ method: 'PUT', url: '/repo/main/anonymous', signed: false, headers, body: 'hello' });
  assert.deepEqual([answer.status, answer.code, answer.continued], [403, 'AccessDenied', false]);
});

test('ignores an empty expectation', needsBytes, async () => {
  const put: RawRequest = { method: 'PUT', url: '/repo/main/expect', headers: { expect: '' }, body: 'hello' };
  const bytes = (request: RawRequest): Buffer => Buffer.concat([headOf(request, `127.0.0.1:${server.port}`), Buffer.from('hello')]);
  assert.equal((await exchange(server.port, bytes(put))).status, 200);
  assert.equal((await ask({ url: '/repo/main/expect' })).body, 'hello');
  assert.equal((await exchange(server.port, bytes({ ...put, headers: { expect: 'the unexpected' } }))).status, 417);
});

test('Content-Encoding comes back as it was given', async () => {
  for (const [given, kept] of [
    ['gzip, br', 'gzip, br'],
    ['gzip,  identity', 'gzip,  identity'],
    ['aws-chunked', undefined],
    ['gzip,aws-chunked', 'gzip'],
    ['aws-chunked, gzip, br', 'gzip, br'],
  ] as const) {
    await ask({ method: 'PUT', url: '/repo/main/encoded', headers: { 'content-encoding': given }, body: 'x' });
    assert.equal((await ask({ method: 'HEAD', url: '/repo/main/encoded' })).headers['content-encoding'], kept, given);
  }
});

test('numbers of a range may have any length', async () => {
  const range = async (text: string): Promise<unknown> => {
    const { status, headers } = await ask({ url: '/repo/main/object', headers: { range: `bytes=${text}` } });
    return [status, headers['content-range']];
  };
  const long = '9'.repeat(400);
  assert.deepEqual(await range(`3-${long}`), [206, 'bytes 3-9/10']);
  assert.deepEqual(await range(`${'0'.repeat(400)}3-4`), [206, 'bytes 3-4/10']);
  assert.deepEqual(await range(`-${long}`), [206, 'bytes 0-9/10']);
  assert.deepEqual(await range(`${long}-`), [416, 'bytes */10']);
  // The second number is smaller, by one digit of many.
  assert.deepEqual(await range(`${long}9-${long}8`), [200, undefined]);
});

test('checksums of parts: reads by part number, attributes, and a repeated completion', async () => {
  const Key = 'main/parts';
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'SHA256', ChecksumType: 'COMPOSITE' }),
  );
  const bodies = [Buffer.alloc(5 << 20, 'a'), Buffer.from('end')];
  const Parts = [];
  for (const [i, Body] of bodies.entries()) {
    const sent = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: i + 1, Body, ChecksumAlgorithm: 'SHA256' });
    const { ETag, ChecksumSHA256 } = await client.send(sent);
    Parts.push({ PartNumber: i + 1, ETag, ChecksumSHA256 });
  }
  const request = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
  const done = await client.send(request);
  const again = await client.send(new CompleteMultipartUploadCommand(request.input));
  assert.match(done.ChecksumSHA256 ?? '', /-2$/);
  assert.deepEqual([again.ETag, again.ChecksumSHA256, again.ChecksumType], [done.ETag, done.ChecksumSHA256, 'COMPOSITE']);
  const expected = bodies.map(body => createHash('sha256').update(body).digest('base64'));
  for (const [i, sha256] of expected.entries()) {
    const head = await client.send(new HeadObjectCommand({ Bucket, Key, PartNumber: i + 1, ChecksumMode: 'ENABLED' }));
    assert.deepEqual([head.ChecksumSHA256, head.PartsCount], [sha256, 2]);
  }
  const asked = { Bucket, Key, ObjectAttributes: ['ObjectParts' as const, 'Checksum' as const] };
  const { ObjectParts, Checksum } = await client.send(new GetObjectAttributesCommand(asked));
  assert.deepEqual(
    ObjectParts?.Parts?.map(part => part.ChecksumSHA256),
    expected,
  );
  assert.equal(Checksum?.ChecksumSHA256, done.ChecksumSHA256);
});

test('uploads listed without a prefix can be aborted as they are listed', async () => {
  for (const Key of ['main/a/b', 'main/c']) await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  assert.deepEqual(
    Uploads.map(({ Key }) => Key),
    ['main/a/b', 'main/c'],
  );
  for (const { Key, UploadId } of Uploads) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  assert.equal((await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads, undefined);
});

test('headers beyond the limit answer 431', needsBytes, async () => {
  const host = `127.0.0.1:${server.port}`;
  const many = Object.fromEntries(Array.from({ length: 2100 }, (_, i) => [`x-amz-meta-${i}`, 'v']));
  const { headers } = sign({ method: 'PUT', url: '/repo/main/headers', headers: many, body: 'x' }, host);
  const lines = Object.entries({ ...headers, 'content-length': '1' }).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = await exchange(server.port, Buffer.from(`PUT /repo/main/headers HTTP/1.1\r\n${lines.join('')}\r\nx`));
  assert.equal(status, 431);
  assert.equal((await ask({ url: '/repo/main/headers' })).code, 'NoSuchKey');
});

test('a client that leaves is not an error', async t => {
  const engine = server.kernel.services.get('engine');
  let left = (): void => undefined;
  const gone = new Promise<void>(resolve => {
    left = resolve;
  });
  const put = t.mock.method(engine, 'putObject', async (...given: Parameters<typeof engine.putObject>) => {
    const [, , , body, request] = given;
    if (!Buffer.isBuffer(body)) body.on('error', () => undefined).resume();
    await new Promise<void>(resolve => request?.signal?.addEventListener('abort', () => resolve(), { once: true }));
    setImmediate(left);
    throw Object.assign(new Error('The operation was aborted'), { name: 'AbortError' });
  });
  const write = t.mock.method(process.stderr, 'write');
  const out = t.mock.method(process.stdout, 'write');
  const request: RawRequest = {
    method: 'PUT',
    url: '/repo/main/left',
    headers: { 'content-length': '5' },
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
  const socket = connect(server.port, '127.0.0.1');
  socket.write(Buffer.concat([headOf(request, `127.0.0.1:${server.port}`), Buffer.from('begin')]));
  while (put.mock.callCount() === 0) await new Promise(resolve => setTimeout(resolve, 5));
  socket.destroy();
  await gone;
  await new Promise(resolve => setTimeout(resolve, 20));
  const lines = [...write.mock.calls, ...out.mock.calls].map(call => String(call.arguments[0]));
  assert.deepEqual(
    lines.filter(line => line.includes('level=error')),
    [],
  );
});

test('repeated lines of a metadata header are one list', async () => {
  const host = `127.0.0.1:${server.port}`;
  const { headers } = sign({ method: 'PUT', url: '/repo/main/repeated', headers: { 'x-amz-meta-a': 'one,two, three' }, body: 'x' }, host);
  const { 'x-amz-meta-a': _, ...others } = headers;
  const lines = [...Object.entries({ ...others, 'content-length': '1' }), ...['one', 'two, three'].map(value => ['X-Amz-Meta-A', value])];
  const head = `PUT /repo/main/repeated HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}connection: close\r\n\r\nx`;
  assert.equal((await exchange(server.port, Buffer.from(head))).status, 200);
  assert.equal((await ask({ url: '/repo/main/repeated' })).headers['x-amz-meta-a'], 'one,two, three');
});
