/** Which requests a body, a copied object and a copied part become. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { at, mebibyte, pattern, streamOf } from './bodies.js';
import { leftovers, nothing } from './leftovers.js';
import { openAt, openOver } from './opened.js';
import { record, refuse, succeed, xml } from './recorded.js';
import type { S3Server } from '@srv/test-servers/s3';

const object = at('s3://bucket', 'data/x');

describe('a body', () => {
  it('of known length is one request, a short one of unknown length, too; a longer one is parts', async t => {
    const recorder = await record(t, (request, response, index) => {
      if (request.method === 'POST' && request.url.includes('uploads'))
        xml(response, '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
      else if (request.method === 'POST')
        xml(response, '<CompleteMultipartUploadResult><ETag>"e-2"</ETag></CompleteMultipartUploadResult>');
      else succeed(request, response, index);
    });
    const store = await openAt(recorder.url);
    const requests = async (size: number, announced: boolean): Promise<string[]> => {
      recorder.requests.length = 0;
      await store.put(object, streamOf(pattern(size)), announced ? { size } : {});
      return recorder.requests.map(
        ({ method, url, length }) => `${method} ${new URLSearchParams(url.split('?')[1]).get('partNumber') ?? ''} ${length}`,
      );
    };
    const part = 8 * mebibyte;
    assert.deepEqual(await requests(20 * mebibyte, true), [`PUT  ${20 * mebibyte}`]);
    for (const size of [0, 1, part]) assert.deepEqual(await requests(size, false), [`PUT  ${size}`]);
    const parts = await requests(part + 1, false);
    assert.equal(parts[0], 'POST  0');
    assert.deepEqual(parts.slice(1, 3).sort(), ['PUT 1 8388608', 'PUT 2 1']);
    assert.match(parts[3] ?? '', /^POST {2}\d+$/);
    assert.match(parts[4] ?? '', /^HEAD/);
    await store.close();
  });

  it('of known length, too long for one request, is even parts', { skip: noGateway }, async () => {
    const server = await startGateway();
    const store = await openOver(server, {}, { limits: { putBytes: 10 * mebibyte } });
    const pointer = at(server.namespace, 'long/object');
    const content = pattern(18 * mebibyte);
    await store.put(pointer, streamOf(content), { size: content.length });
    const { etag, size } = await store.properties(pointer);
    assert.match(etag, /-3$/);
    assert.equal(size, content.length);
    await rejectsWith(() => store.put(at(server.namespace, 'long/other'), streamOf(content), { size: content.length + 1 }), 'invalid');
    assert.deepEqual(await leftovers(server, 'long/other'), nothing);
    await store.close();
    await server.close();
  });

  it('that breaks as a connection does is not taken for the store', async t => {
    const recorder = await record(t);
    const store = await openAt(recorder.url);
    const broken = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    for (const options of [{ size: 3 * mebibyte }, { size: 1000 }, {}])
      await assert.rejects(
        () =>
          store.put(
            object,
            streamOf(pattern(500), () => Promise.reject(broken)),
            options,
          ),
        broken,
      );
    await store.close();
  });

  it('that continues after the announced bytes never was a whole request', async t => {
    const recorder = await record(t);
    const store = await openAt(recorder.url);
    const size = 2 * mebibyte;
    const body = new PassThrough();
    body.write(pattern(size));
    const put = rejectsWith(() => store.put(object, body, { size }), 'invalid', /the body has more bytes, 2097152 were announced/);
    setTimeout(() => body.end('more'), 50);
    await put;
    assert.deepEqual(recorder.requests, []);
    await store.close();
  });

  it('is let go when the store refuses it', async t => {
    const server = await ScriptedHttp.open((_, response) => refuse(response, 403, 'AccessDenied'));
    t.after(() => server.close());
    const store = await openAt(server.url);
    for (const options of [{ size: 3 * mebibyte }, {}]) {
      const body = new PassThrough();
      body.write(pattern(2 * mebibyte));
      // The body stalls: only the refusal, or the end of what was sent, can end the put.
      const put = rejectsWith(() => store.put(object, body, options), 'forbidden');
      if (!('size' in options)) body.end();
      await put;
      if (!body.closed) await once(body, 'close');
    }
    await store.close();
  });

  it('for a name that cannot be written is refused', async t => {
    const recorder = await record(t);
    const store = await openAt(recorder.url);
    await rejectsWith(() => store.put(at('s3://bucket', 'half a pair \ud83d'), Buffer.from('x')), 'invalid', /not valid Unicode/);
    await store.close();
  });

  it('a storage class goes with parts, too', async t => {
    const recorder = await record(t, (_, response) => refuse(response, 403, 'AccessDenied'));
    const store = await openAt(recorder.url);
    await rejectsWith(() => store.put(object, streamOf(pattern(9 * mebibyte)), { storageClass: 'STANDARD_IA' }), 'forbidden');
    const [first] = recorder.requests;
    assert.equal(first?.method, 'POST');
    assert.equal(first?.headers['x-amz-storage-class'], 'STANDARD_IA');
    await store.close();
  });
});

describe('inside the store', { skip: noGateway }, () => {
  let server: S3Server;
  before(async () => {
    server = await startGateway();
  });
  after(() => server.close());

  it('a large object is copied by parts, whatever its key', async t => {
    const seen: string[] = [];
    const between = await ScriptedHttp.open((request, response) => {
      seen.push(`${request.method} ${/uploads|partNumber|uploadId|CopyObject/.exec(request.url ?? '')?.[0] ?? ''}`);
      passOn(server.url, request, response);
    });
    t.after(() => between.close());
    const limits = { wholeBytes: 16 * mebibyte, partBytes: 8 * mebibyte };
    const store = await openOver(server, { endpoint: between.url }, { limits });
    const content = pattern(20 * mebibyte + 1);
    const [source, copy] = [at(server.namespace, 'from/a b+%20é?#&=/ü//x'), at(server.namespace, 'to/a copy')];
    await store.put(source, content);
    seen.length = 0;
    await store.copy(source, copy);
    assert.ok((await buffer(await store.get(copy))).equals(content));
    assert.equal(seen.filter(request => request === 'PUT partNumber').length, 3);
    assert.ok(!seen.includes('PUT CopyObject'));
    await store.put(source, content.subarray(0, 16 * mebibyte));
    seen.length = 0;
    await store.copy(source, copy);
    assert.deepEqual(seen, ['HEAD ', 'PUT CopyObject']);
    await store.close();
  });

  it('a copy that fails or is cancelled midway leaves nothing', async t => {
    const controller = new AbortController();
    let copies = 0;
    const between = await ScriptedHttp.open((request, response) => {
      if (request.headers['x-amz-copy-source'] === undefined) return passOn(server.url, request, response);
      copies += 1;
      if (copies === 2) return refuse(response, 412, 'PreconditionFailed');
      if (copies > 4) controller.abort();
      return passOn(server.url, request, response);
    });
    t.after(() => between.close());
    const limits = { wholeBytes: 5 * mebibyte, partBytes: 8 * mebibyte };
    const store = await openOver(server, { endpoint: between.url }, { limits });
    const source = at(server.namespace, 'source/large');
    await store.put(source, streamOf(pattern(30 * mebibyte)));
    const copy = at(server.namespace, 'failed/copy');
    await rejectsWith(() => store.copy(source, copy), 'precondition_failed', /changed meanwhile/);
    copies = 4;
    await rejectsWith(() => store.copy(source, copy, controller.signal), 'cancelled');
    assert.deepEqual(await leftovers(server, 'failed/'), nothing);
    await store.close();
  });

  it('a part of unknown length may be longer than what is held', async () => {
    const store = await openOver(server);
    const pointer = at(server.namespace, 'parts/joined');
    const { uploadId } = await store.createMultipart(pointer);
    const content = pattern(18 * mebibyte);
    const { etag } = await store.uploadPart(pointer, uploadId, 1, streamOf(content));
    await store.completeMultipart(pointer, uploadId, [{ partNumber: 1, etag }]);
    assert.ok((await buffer(await store.get(pointer))).equals(content));
    assert.deepEqual(await leftovers(server, 'parts/'), { objects: ['main/suite/parts/joined'], uploads: [] });
    await store.close();
  });

  it('a range of a small object becomes a part, which S3 cannot copy', async () => {
    const store = await openOver(server);
    const [source, pointer] = [at(server.namespace, 'small/source'), at(server.namespace, 'small/joined')];
    await store.put(source, Buffer.from('0123456789'));
    const { uploadId } = await store.createMultipart(pointer);
    const { etag } = await store.copyPart(source, pointer, uploadId, 1, { start: 2, end: 100 });
    await rejectsWith(
      () => store.copyPart(source, pointer, uploadId, 2, { start: 10, end: 20 }),
      'invalid',
      /bytes 10-20 begin after its end/,
    );
    await store.completeMultipart(pointer, uploadId, [{ partNumber: 1, etag }]);
    assert.equal((await buffer(await store.get(pointer))).toString(), '23456789');
    await store.close();
  });
});
