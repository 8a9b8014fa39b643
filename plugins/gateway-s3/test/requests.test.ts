/** Requests no SDK would send, and those only some do: raw bytes against a real server. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { presigned } from './support/presigned.js';
import { chunkedBody, send, sign } from './support/raw.js';
import { accessKeyId, createRepository, secretAccessKey, startServer, storedFiles } from './support/server.js';
import { needsBytes } from './support/transport.js';
import type { AddressInfo } from 'node:net';
import type { GatewayRequest } from '@srv/lib-api/http';
import type { RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
const ask = (request: RawRequest) => send(server.port, request);
const put = (body: string | Buffer, rest: Partial<RawRequest> = {}) => ask({ method: 'PUT', url: '/repo/main/raw', body, ...rest });
const read = async (url = '/repo/main/raw') => (await ask({ url })).body;

before(async () => {
  server = await startServer({ 'http.trusted_proxies': ['127.0.0.1'] });
  await createRepository(server, 'repo');
});
after(() => server.stop());

/** Of `hello`. */
const crc = 'x-amz-checksum-crc32:NhCmhg==';
const trailing = { 'x-amz-trailer': 'x-amz-checksum-crc32' };

/** A chunk-signed body for a request, as the Java SDK sends it. */
function signedChunks(
  request: RawRequest,
  chunks: readonly string[],
  trailer?: { name: string; value: string },
): { request: RawRequest; body: Buffer } {
  const signed = sign(request, `127.0.0.1:${server.port}`);
  const body = chunkedBody(signed, { chunks, signed: true, trailer });
  return { request: { ...request, headers: signed.headers, signed: false }, body };
}

describe('bodies', () => {
  test('are checked against the hash in the query of a version 4 URL', async () => {
    const hash = createHash('sha256').update('agreed').digest('hex');
    const urlFor = (payloadHash: string): RawRequest =>
      presigned(server.port, { method: 'PUT', path: '/repo/main/raw', query: { 'X-Amz-Content-Sha256': payloadHash }, payloadHash });
    const files = storedFiles(server).length;
    const other = await ask({ ...urlFor(hash), body: 'something else' });
    assert.deepEqual([other.status, other.code], [400, 'XAmzContentSHA256Mismatch']);
    assert.equal(storedFiles(server).length, files);
    assert.equal((await ask({ ...urlFor(hash), body: 'agreed' })).status, 200);
    assert.equal(await read(), 'agreed');
    const chunked = await ask({
      ...urlFor('STREAMING-UNSIGNED-PAYLOAD-TRAILER'),
      headers: trailing,
      body: `5\r\nhello\r\n0\r\n${crc}\r\n\r\n`,
    });
    assert.equal(chunked.status, 200, chunked.body);
    assert.equal(await read(), 'hello');
    assert.equal((await ask({ ...urlFor('UNSIGNED-PAYLOAD'), body: 'any' })).status, 200);
    assert.equal((await ask({ ...urlFor('unknown'), body: 'any' })).code, 'InvalidArgument');
  });

  test('of every kind', async () => {
    const text = 'the content';
    const sha = createHash('sha256').update(text).digest('hex');
    assert.equal((await put(text)).status, 200);
    assert.equal((await put(text, { payloadHash: sha })).status, 200);
    assert.equal((await put(text, { payloadHash: sha.replace(/^./, c => (c === '0' ? '1' : '0')) })).code, 'XAmzContentSHA256Mismatch');
    assert.equal((await put(text, { payloadHash: 'nonsense' })).code, 'InvalidArgument');
    assert.equal((await put(text, { payloadHash: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' })).code, 'InvalidArgument');
    assert.equal((await put('b\r\nthe content\r\n0\r\n\r\n', { headers: { 'transfer-encoding': 'chunked' } })).status, 200);
    assert.equal(await read(), text);
  });

  // A proxy may announce a body where the client did not.
  test('must be announced', needsBytes, async () => {
    assert.equal((await ask({ method: 'PUT', url: '/repo/main/raw', payloadHash: 'UNSIGNED-PAYLOAD' })).code, 'MissingContentLength');
  });

  test('in signed chunks, with and without trailer', async () => {
    const request = (payloadHash: string, headers: Record<string, string> = {}): RawRequest => ({
      method: 'PUT',
      url: '/repo/main/chunked',
      payloadHash,
      headers: { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '10', ...headers },
    });
    const plain = signedChunks(request('STREAMING-AWS4-HMAC-SHA256-PAYLOAD'), ['hello', 'world']);
    assert.equal((await ask({ ...plain.request, body: plain.body })).status, 200);
    assert.equal(await read('/repo/main/chunked'), 'helloworld');
    const changed = Buffer.from(plain.body.toString().replace('world', 'w0rld'));
    assert.equal((await ask({ ...plain.request, body: changed })).code, 'SignatureDoesNotMatch');
    const short = signedChunks(request('STREAMING-AWS4-HMAC-SHA256-PAYLOAD'), ['hello']);
    assert.equal((await ask({ ...short.request, body: short.body })).code, 'IncompleteBody');

    const trailer = { name: 'x-amz-checksum-crc32', value: '+eupZg==' };
    const crc = Buffer.alloc(4);
    const { crc32 } = await import('node:zlib');
    crc.writeUInt32BE(crc32('helloworld'));
    const right = { ...trailer, value: crc.toString('base64') };
    const mode = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
    const good = signedChunks(request(mode, { 'x-amz-trailer': trailer.name }), ['hello', 'world'], right);
    const answer = await ask({ ...good.request, body: good.body });
    assert.deepEqual([answer.status, answer.headers['x-amz-checksum-crc32']], [200, right.value]);
    const bad = signedChunks(request(mode, { 'x-amz-trailer': trailer.name }), ['hello', 'world'], { ...trailer, value: 'AAAAAA==' });
    assert.equal((await ask({ ...bad.request, body: bad.body })).code, 'BadDigest');
    const none = signedChunks(request(mode), ['hello', 'world'], right);
    assert.equal((await ask({ ...none.request, body: none.body })).code, 'InvalidRequest');
  });

  test('that end early leave nothing behind', async () => {
    const before = storedFiles(server).length;
    await ask({ method: 'PUT', url: '/repo/main/cut', body: Buffer.alloc(300_000), cutAt: 100_000 });
    const answer = await ask({ method: 'PUT', url: '/repo/main/cut', body: Buffer.alloc(3_000_000), payloadHash: 'a'.repeat(64) });
    assert.equal(answer.code, 'XAmzContentSHA256Mismatch');
    await until(() => storedFiles(server).length === before);
    assert.equal((await ask({ url: '/repo/main/cut' })).code, 'NoSuchKey');
  });

  test('are asked for only when they will be taken', async () => {
    const expect = { expect: '100-continue', 'content-length': '5' };
    const good = await put('hello', { headers: expect });
    assert.deepEqual([good.status, good.continued], [200, true]);
    const denied = await put('hello', { url: '/repo/nobranch/x', headers: expect });
    assert.deepEqual([denied.code, denied.continued], ['NoSuchBucket', false]);
    const unsigned = await put('hello', {
      headers: { ...expect, authorization: `AWS ${accessKeyId}:AAAA`, date: new Date().toUTCString() },
      signed: false,
    });
    assert.deepEqual([unsigned.code, unsigned.continued], ['SignatureDoesNotMatch', false]);
  });

  test('that are refused do not keep the client from reading why', async () => {
    const answer = await put(Buffer.alloc(20_000_000), { url: '/repo/nobranch/x' });
    assert.equal(answer.code, 'NoSuchBucket');
  });
});

describe('callers', () => {
  test('unknown keys, other credentials, no credentials', async () => {
    const host = 's3.localhost';
    assert.equal(
      (
        await ask({
          url: '/repo/main/raw',
          headers: { host, authorization: 'AWS AKIAUNKNOWN:AAAA', date: new Date().toUTCString() },
          signed: false,
        })
      ).code,
      'InvalidAccessKeyId',
    );
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const anonymous = await ask({ method, url: '/repo/main/raw', headers: { host }, signed: false });
      assert.deepEqual([anonymous.status, anonymous.code], [403, 'AccessDenied'], method);
    }
    const unknown = await ask({ url: '/repo/main/raw', headers: { host, authorization: 'Digest x' }, signed: false });
    assert.deepEqual([unknown.status, unknown.code], [400, 'MissingFields']);
    const basic = (secret: string) => ({ host, authorization: `Basic ${Buffer.from(`${accessKeyId}:${secret}`).toString('base64')}` });
    assert.equal((await ask({ url: '/repo/main/raw', headers: basic(secretAccessKey), signed: false })).status, 200);
    assert.equal((await ask({ url: '/repo/main/raw', headers: basic('wrong'), signed: false })).status, 401);
    const { token } = await server.kernel.services.get('auth').issueToken('admin');
    assert.equal((await ask({ url: '/repo/main/raw', headers: { host, authorization: `Bearer ${token}` }, signed: false })).status, 200);
    const cookie = await ask({ url: '/repo/main/raw', headers: { host, cookie: `access_token=${token}` }, signed: false });
    assert.equal(cookie.code, 'AccessDenied');
  });

  test('guesses of a password are slowed down by address', async () => {
    server.kernel.hooks.signIn.tap('test', add => add({ name: 'nobody', signIn: async () => undefined }));
    const guess = (from: string) =>
      ask({
        url: '/repo/main/raw',
        headers: { host: 's3.localhost', authorization: `Basic ${Buffer.from('bob:guess').toString('base64')}`, 'x-forwarded-for': from },
        signed: false,
      });
    for (let n = 0; n < 5; n++) assert.equal((await guess('198.51.100.1')).status, 401);
    assert.equal((await guess('198.51.100.1')).code, 'SlowDown');
    assert.equal((await guess('198.51.100.2')).status, 401);
  });

  test('version 2: header with sub-resources, URL, timestamp query', async () => {
    const sha1 = (text: string): string => createHmac('sha1', secretAccessKey).update(text).digest('base64');
    const date = new Date().toUTCString();
    const header = async (method: string, url: string, body?: string) =>
      ask({
        method,
        url,
        body,
        headers: { date, authorization: `AWS ${accessKeyId}:${sha1(`${method}\n\n\n${date}\n${url}`)}` },
        signed: false,
      });
    assert.equal((await header('PUT', '/repo/main/v2', 'by v2')).status, 200);
    const created = await header('POST', '/repo/main/v2m?uploads');
    const uploadId = /<UploadId>([^<]+)/.exec(created.body)?.[1] ?? '';
    assert.equal((await header('PUT', `/repo/main/v2m?partNumber=1&uploadId=${uploadId}`, 'part')).status, 200);
    assert.equal((await header('DELETE', `/repo/main/v2m?uploadId=${uploadId}`)).status, 204);
    const expires = Math.floor(Date.now() / 1000) + 3600;
    const url = `/repo/main/v2?AWSAccessKeyId=${accessKeyId}&Signature=${encodeURIComponent(sha1(`GET\n\n\n${expires}\n/repo/main/v2`))}&Expires=${expires}`;
    assert.equal((await ask({ url, signed: false })).body, 'by v2');
    const host = `127.0.0.1:${server.port}`;
    const query = `AWSAccessKeyId=${accessKeyId}&SignatureMethod=HmacSHA256&SignatureVersion=2&Timestamp=${encodeURIComponent(new Date().toISOString())}`;
    const signature = createHmac('sha256', secretAccessKey).update(`POST\n${host}\n/repo/main/v2\n${query}`).digest('base64');
    assert.equal((await ask({ url: `/repo/main/v2?${query}&Signature=${encodeURIComponent(signature)}`, signed: false })).body, 'by v2');
    assert.equal(
      (
        await ask({
          url: `/repo/main/v2?${query}&Signature=${encodeURIComponent(signature.replace(/^./, c => (c === 'A' ? 'B' : 'A')))}`,
          signed: false,
        })
      ).code,
      'SignatureDoesNotMatch',
    );
  });

  test('passes unsigned requests to the other faces', async () => {
    assert.equal((await ask({ url: '/_health', signed: false })).status, 200);
    assert.notEqual((await ask({ url: '/api/v1/healthcheck', signed: false })).headers['content-type'], 'application/xml');
    assert.equal((await ask({ url: '/api/v1/repositories' })).code, 'ErrNoSuchBucketPossibleAPIEndpoint');
  });
});

describe('answers', () => {
  test('errors carry the request id, HEAD has no body', async () => {
    const missing = await ask({ url: '/repo/main/none' });
    assert.equal(missing.headers['x-amz-request-id'], /<RequestId>([^<]+)/.exec(missing.body)?.[1]);
    assert.match(missing.body, /<Key>none<\/Key><BucketName>repo<\/BucketName><Resource>main@repo<\/Resource><Region>us-east-1<\/Region>/);
    const head = await ask({ method: 'HEAD', url: '/repo/main/none' });
    assert.deepEqual([head.status, head.body], [404, '']);
    const bucket = await ask({ url: '/missing' });
    assert.deepEqual([bucket.code, bucket.headers['x-amz-bucket-region']], ['NoSuchBucket', 'us-east-1']);
  });

  test('XML types follow Accept', async () => {
    const type = async (accept?: string) =>
      (await ask({ url: '/repo?location', headers: accept === undefined ? {} : { accept } })).headers['content-type'];
    assert.deepEqual(
      [await type(), await type('text/xml, application/xml'), await type('text/xml'), await type('*/*')],
      ['application/xml', 'application/xml', 'text/xml', 'text/xml; charset=utf-8'],
    );
  });

  test('sub-resources never fall through to a write', async () => {
    await put('precious');
    for (const name of ['retention', 'legal-hold', 'torrent', 'encryption', 'anything-new']) {
      assert.equal((await put('<xml/>', { url: `/repo/main/raw?${name}` })).code, 'ERRLakeFSNotSupported', name);
      assert.equal((await ask({ method: 'DELETE', url: `/repo/main/raw?${name}` })).code, 'ERRLakeFSNotSupported', name);
    }
    for (const name of ['select', 'restore'])
      assert.equal((await ask({ method: 'POST', url: `/repo/main/raw?${name}`, body: '' })).code, 'ERRLakeFSNotSupported');
    for (const name of ['replication', 'logging', 'inventory', 'abac', 'metadataConfiguration', 'metadataTable'])
      assert.equal((await ask({ url: `/repo?${name}` })).code, 'ERRLakeFSNotSupported', name);
    assert.equal((await ask({ url: '/repo/main/raw?torrent' })).code, 'ERRLakeFSNotSupported');
    assert.equal(await read(), 'precious');
    assert.equal((await ask({ method: 'POST', url: '/repo/main/raw', body: '' })).code, 'MethodNotAllowed');
    assert.equal((await ask({ method: 'POST', url: '/repo', body: '' })).code, 'ERRLakeFSNotSupported');
    for (const [method, url] of [
      ['OPTIONS', '/repo/main/raw'],
      ['PUT', '/'],
      ['DELETE', '/'],
      ['PATCH', '/repo'],
    ] as const)
      assert.equal((await ask({ method, url, body: method === 'PUT' ? '' : undefined })).status, 404, method);
  });
});

describe('hooks and settings', () => {
  test('a plugin can answer an operation, also one that is not offered', async () => {
    const seen: GatewayRequest[] = [];
    for (const name of ['GetBucketCors', 'HeadBucket'])
      server.kernel.hooks.gatewayOperation.for(name).tapPromise('test', async request => {
        seen.push(request);
        if (name === 'HeadBucket') return false;
        await request.answer.xml({ name: 'CORSConfiguration', content: request.query.get('cors') ?? '' });
        return true;
      });
    assert.match((await ask({ url: '/repo?cors' })).body, /<CORSConfiguration><\/CORSConfiguration>$/);
    assert.equal((await ask({ method: 'HEAD', url: '/repo' })).status, 200);
    assert.deepEqual(
      seen.map(r => [r.operation, r.repository?.id, r.user.username]),
      [
        ['GetBucketCors', 'repo', 'admin'],
        ['HeadBucket', 'repo', 'admin'],
      ],
    );
  });

  test('fallback for repositories we do not have; reads defer without verification', async t => {
    const upstream = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
      const { method, url, headers } = request;
      const seen = JSON.stringify({
        method,
        url,
        host: headers.host,
        forwarded: headers['x-forwarded-for'],
        body: Buffer.concat(pieces).toString(),
      });
      response.writeHead(209, { 'x-upstream': 'yes', 'content-length': Buffer.byteLength(seen) }).end(seen);
    });
    await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    const other = await startServer({
      'gateways.s3.fallback_url': `http://127.0.0.1:${port}/base`,
      'gateways.s3.verify_unsupported': false,
    });
    t.after(async () => {
      upstream.close();
      await other.stop();
    });
    await createRepository(other, 'repo');
    for (const bucket of ['missing', 'Not.A.Repository']) {
      const answer = await send(other.port, {
        method: 'PUT',
        url: `/${bucket}/a//..%2Fb?x=1`,
        body: 'body',
        headers: { expect: '100-continue', 'content-length': '4' },
      });
      assert.deepEqual([answer.status, answer.headers['x-upstream']], [209, 'yes']);
      const { method, url, body, forwarded } = JSON.parse(answer.body) as Record<string, string>;
      assert.deepEqual([method, url, body, forwarded], ['PUT', `/base/${bucket}/a//..%2Fb?x=1`, 'body', '127.0.0.1']);
    }
    const hosted = await send(other.port, { url: '/main/x', headers: { host: 'bucket-x.s3.localhost' } });
    assert.equal((JSON.parse(hosted.body) as Record<string, string>).host, `bucket-x.127.0.0.1:${port}`);
    await send(other.port, { method: 'PUT', url: '/repo/main/kept', body: 'kept' });
    assert.equal((await send(other.port, { url: '/repo/main/kept?torrent' })).body, 'kept');
    assert.match((await send(other.port, { url: '/repo?policy' })).body, /ListBucketResult/);
    for (const method of ['PUT', 'DELETE'])
      assert.equal((await send(other.port, { method, url: '/repo/main/kept?retention', body: '' })).code, 'ERRLakeFSNotSupported');
    assert.equal((await send(other.port, { url: '/repo/main/kept' })).body, 'kept');
  });
});
