/** Stores that throttle, break off, stall, lie, go away and come back. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { multipartEtag } from '@srv/lib-stores/block';
import { FaultProxy, ScriptedHttp, freePort, passOn } from '@srv/test-servers';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { at, mebibyte, pattern, streamOf } from './bodies.js';
import { leftovers, nothing } from './leftovers.js';
import { openAt, openOver, secretAccessKey } from './opened.js';
import { record, refuse, succeed, xml } from './recorded.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { BlockStore } from '@srv/lib-stores/block';
import type { S3Server } from '@srv/test-servers/s3';

const object = at('s3://bucket', 'data/x');

describe('retries', () => {
  it('a throttled request is repeated as often as configured', async t => {
    const recorder = await record(t, (request, response, index) =>
      index < 4 ? refuse(response, 503, 'SlowDown') : succeed(request, response, index),
    );
    const store = await openAt(recorder.url);
    await store.put(object, Buffer.from('abc'));
    assert.equal(recorder.requests.length, 5);
    assert.ok(recorder.requests.every(({ length }) => length === 3));
    await store.close();
  });

  it('a store that keeps throttling is slow_down, one that keeps failing is unavailable', async t => {
    for (const [status, code, expected, message] of [
      [503, 'SlowDown', 'slow_down', /s3:\/\/bucket\/data\/x: the store is throttling; .*\(SlowDown: set by the test\)/],
      [429, 'TooManyRequests', 'slow_down', /throttling/],
      [500, 'InternalError', 'unavailable', /http:\/\/127\.0\.0\.1:\d+: the store has a fault/],
      [503, 'ServiceUnavailable', 'unavailable', /the store has a fault/],
    ] as const) {
      for (const attempts of [1, 3]) {
        const recorder = await record(t, (_, response) => refuse(response, status, code));
        const store = await openAt(recorder.url, { max_retries: attempts });
        await rejectsWith(() => store.get(object), expected, message);
        assert.equal(recorder.requests.length, attempts, `${status} with ${attempts} attempts`);
        await store.close();
      }
    }
  });

  it('have no budget that a long outage uses up', async t => {
    let refusals = Number.POSITIVE_INFINITY;
    const recorder = await record(t, (request, response, index) =>
      refusals-- > 0 ? refuse(response, 503, 'SlowDown') : succeed(request, response, index),
    );
    const store = await openAt(recorder.url, { max_retries: 2 });
    await Promise.all(Array.from({ length: 150 }, () => rejectsWith(() => store.put(object, Buffer.from('x')), 'slow_down')));
    refusals = 1;
    await store.put(object, Buffer.from('x'));
    await store.close();
  });

  it('a body that cannot be read twice is sent once, a short one again', async t => {
    for (const [size, requests] of [
      [3 * mebibyte, 1],
      [mebibyte, 3],
    ] as const) {
      const recorder = await record(t, (_, response) => refuse(response, 503, 'SlowDown'));
      const store = await openAt(recorder.url, { max_retries: 3 });
      await rejectsWith(() => store.put(object, streamOf(pattern(size)), { size }), 'slow_down');
      assert.equal(recorder.requests.length, requests);
      await store.close();
    }
  });

  it('does not repeat requests that the store rejects', async t => {
    for (const [status, code, expected, message] of [
      [403, 'AccessDenied', 'forbidden', /denies access; check the policies/],
      [403, 'SignatureDoesNotMatch', 'forbidden', /does not accept the credentials/],
      [404, 'NoSuchBucket', 'unavailable', /the bucket does not exist; create it/],
      [404, 'NoSuchKey', 'no_data', /no such object/],
      [403, 'InvalidObjectState', 'forbidden', /archived; restore it first/],
      [301, 'PermanentRedirect', 'config', /another region; set blockstore\.s3\.region/],
      [400, 'InvalidArgument', 'invalid', /refuses the request \(InvalidArgument: set by the test\)/],
      [501, 'NotImplemented', 'unsupported', /does not offer/],
      [418, 'Teapot', 'invalid', /refuses the request/],
    ] as const) {
      const recorder = await record(t, (_, response) => refuse(response, status, code));
      const store = await openAt(recorder.url);
      await rejectsWith(() => store.get(object), expected, message);
      assert.equal(recorder.requests.length, 1, code);
      await store.close();
    }
  });
});

describe('answers that are not what they seem', () => {
  const begun = '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>';
  const part = { partNumber: 1, etag: 'e' };
  const complete = async (t: TestContext, answer: (response: ServerResponse, index: number) => void): Promise<unknown> => {
    const recorder = await record(t, ({ method }, response, index) => {
      if (method === 'GET') xml(response, '<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>');
      else if (method === 'POST') answer(response, index);
      else response.writeHead(200, { etag: '"e"', 'content-length': '7' }).end();
    });
    const store = await openAt(recorder.url, { max_retries: 2 });
    return store.completeMultipart(object, 'u', [part]).finally(() => store.close());
  };

  it('treats an error with status 200 as an error', async t => {
    const failure =
      (code: string, end = '') =>
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/xml' });
        // As S3 does while it joins parts.
        response.write('<?xml version="1.0" encoding="UTF-8"?>\n  ');
        response.end(`<Error><Code>${code}</Code><Message>set by the test</Message></Error>${end}`);
      };
    await rejectsWith(() => complete(t, failure('InternalError')), 'unavailable');
    await rejectsWith(() => complete(t, failure('SlowDown')), 'slow_down');
    await rejectsWith(() => complete(t, failure('InvalidPart')), 'invalid', /never uploaded or has another etag/);
    await rejectsWith(() => complete(t, failure('NoSuchUpload')), 'not_found');
    await rejectsWith(() => complete(t, failure('InternalError', '\n')), 'unavailable');
    await rejectsWith(() => complete(t, response => response.end()), 'unavailable');
    await rejectsWith(() => complete(t, response => response.end('<html>hello</html>')), 'unavailable', /without ETag/);
  });

  it('an upload whose completion lost its answer is complete', async t => {
    const parts = ['0'.repeat(32), 'f'.repeat(32)].map((etag, i) => ({ partNumber: i + 1, etag }));
    for (const [etag, succeeds] of [
      ['ba9c0f0b9bc2e3f0d4e3a2a9c4c5ab11-2', false],
      ['', true],
    ] as const) {
      let joined = '';
      const recorder = await record(t, ({ method }, response, index) => {
        if (method === 'GET') xml(response, '<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>');
        else if (method === 'HEAD') response.writeHead(200, { etag: `"${etag || joined}"`, 'content-length': '7' }).end();
        else if (index === 1) response.destroy();
        else refuse(response, 404, 'NoSuchUpload');
      });
      joined = multipartEtag(parts.map(p => p.etag));
      const store = await openAt(recorder.url);
      const completion = () => store.completeMultipart(object, 'u', parts);
      if (succeeds) assert.deepEqual({ ...(await completion()), lastModified: 0 }, { etag: joined, size: 7, lastModified: 0 });
      else await rejectsWith(completion, 'not_found');
      await store.close();
    }
  });

  it('an object shorter than announced is an error to its reader', async t => {
    const server = await ScriptedHttp.open((_, response) => {
      response.writeHead(200, { 'content-length': '1000', etag: '"e"' });
      response.write(Buffer.alloc(400));
      setTimeout(() => response.socket?.end(), 20);
    });
    t.after(() => server.close());
    const store = await openAt(server.url);
    const stream = await store.get(object);
    // This store cannot continue in the middle.
    await rejectsWith(() => buffer(stream), 'unsupported', /s3:\/\/bucket\/data\/x: the store does not read ranges/);
    await store.close();
  });

  it('an answer that breaks is taken up where it broke, for the same content, and fails after three breaks without a byte', async t => {
    const content = pattern(1000);
    const ranges: (string | undefined)[] = [];
    let bytes = 400;
    const server = await ScriptedHttp.open(({ headers: { range, 'if-match': etag } }, response) => {
      ranges.push(`${range} of ${etag}`);
      const [, start = '0', end = '999'] = /^bytes=(\d+)-(\d+)/.exec(range ?? '') ?? [];
      const rest = content.subarray(Number(start), Number(end) + 1);
      response.writeHead(range === undefined ? 200 : 206, {
        'content-length': String(rest.length),
        etag: '"e"',
        ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/1000` }),
      });
      if (rest.length <= bytes) return void response.end(rest);
      response.flushHeaders();
      const cut = (): void => void response.socket?.destroy();
      if (bytes > 0) response.write(rest.subarray(0, bytes), cut);
      else setTimeout(cut, 20);
    });
    t.after(() => server.close());
    const store = await openAt(server.url);
    assert.ok((await buffer(await store.get(object))).equals(content));
    assert.deepEqual(ranges.splice(0), ['undefined of undefined', 'bytes=400-999 of "e"', 'bytes=800-999 of "e"']);
    assert.ok((await buffer(await store.get(object, { range: { start: 100, end: 899 } }))).equals(content.subarray(100, 900)));
    ranges.length = 0;
    bytes = 0;
    await rejectsWith(async () => buffer(await store.get(object)), 'unavailable', /the store cannot be reached/);
    assert.deepEqual(ranges, ['undefined of undefined', ...Array.from({ length: 3 }, () => 'bytes=0-999 of "e"')]);
    await store.close();
  });

  it('distinguishes a store that does not read ranges from one that does', async t => {
    const recorder = await record(t, (_, response) => response.writeHead(200, { 'content-length': '5', etag: '"e"' }).end('whole'));
    const store = await openAt(recorder.url);
    await rejectsWith(() => store.get(object, { range: { start: 1, end: 2 } }), 'unsupported', /does not read ranges/);
    await store.close();
  });

  it('a put without an etag, and an upload without a name, did not reach S3', async t => {
    const recorder = await record(t, (_, response) => response.end());
    const store = await openAt(recorder.url);
    await rejectsWith(() => store.put(object, Buffer.from('x')), 'unavailable', /answered without ETag/);
    await rejectsWith(() => store.createMultipart(object), 'unavailable');
    await store.close();
  });

  it('an upload whose parts are refused is ended', async t => {
    const recorder = await record(t, ({ method, url }, response, index) => {
      if (url.includes('uploads')) xml(response, begun);
      else if (method === 'PUT') refuse(response, 403, 'AccessDenied');
      else succeed({ method, url, headers: {}, length: 0 }, response, index);
    });
    const store = await openAt(recorder.url);
    const body = streamOf(pattern(20 * mebibyte));
    await rejectsWith(() => store.put(object, body), 'forbidden');
    assert.equal(recorder.seen().at(-1), 'DELETE /bucket/data/x');
    assert.ok(body.destroyed);
    await store.close();
  });
});

describe('a store that stalls', () => {
  it('is left at once when the caller goes away', async t => {
    const server = await ScriptedHttp.open(() => undefined);
    t.after(() => server.close());
    const store = await openAt(server.url);
    const other = at('s3://bucket', 'other');
    for (const call of [
      (signal: AbortSignal) => store.get(object, { signal }),
      (signal: AbortSignal) => store.put(object, pattern(1000), { signal }),
      (signal: AbortSignal) => store.put(object, streamOf(pattern(3 * mebibyte)), { size: 3 * mebibyte, signal }),
      (signal: AbortSignal) => store.put(object, streamOf(pattern(12 * mebibyte)), { signal }),
      (signal: AbortSignal) => store.uploadPart(object, 'u', 1, pattern(1000), { signal }),
      (signal: AbortSignal) => store.copy(object, other, signal),
      (signal: AbortSignal) => collect(store.walk('s3://bucket/', { signal })),
    ]) {
      const controller = new AbortController();
      const ended = rejectsWith(() => call(controller.signal), 'cancelled');
      await sleep(50);
      controller.abort();
      await ended;
    }
    await store.close();
  });

  it('caused by its readers delays no other request', async t => {
    const server = await ScriptedHttp.open(({ method }, response) => {
      response.writeHead(200, { etag: '"e"', 'content-length': method === 'GET' ? mebibyte : 0 });
      response.end(method === 'GET' ? Buffer.alloc(mebibyte) : undefined);
    });
    t.after(() => server.close());
    const store = await openAt(server.url);
    const unread = await Promise.all(Array.from({ length: 300 }, () => store.get(object)));
    await store.put(object, Buffer.from('x'));
    for (const stream of unread) stream.destroy();
    await store.close();
  });

  it('is unavailable after a while, which no further attempt prolongs', async t => {
    let requests = 0;
    const server = await ScriptedHttp.open(() => void requests++);
    t.after(() => server.close());
    const store = await openAt(server.url, {}, { idleTimeoutMs: 200 });
    for (const call of [
      () => store.get(object),
      () => store.put(object, Buffer.from('x')),
      () => store.put(object, streamOf(pattern(1000)), { size: 1000 }),
      () => store.exists(object),
      () => collect(store.walk('s3://bucket/')),
    ]) {
      requests = 0;
      await rejectsWith(call, 'unavailable', /TimeoutError/);
      assert.equal(requests, 1, 'it is not asked again');
    }
    await store.close();
  });

  it('in the middle of a listing is unavailable after a while', async t => {
    const server = await ScriptedHttp.open((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/xml', 'content-length': '1000' });
      response.write('<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>');
    });
    t.after(() => server.close());
    const store = await openAt(server.url, {}, { idleTimeoutMs: 200 });
    for (const call of [() => collect(store.walk('s3://bucket/')), () => store.listParts(object, 'u'), () => store.createMultipart(object)])
      await rejectsWith(call, 'unavailable');
    await store.close();
  });
});

describe('a network between', { skip: noGateway }, () => {
  let server: S3Server;
  before(async () => {
    server = await startGateway();
  });
  after(() => server.close());

  it('that refuses or breaks connections makes the store unavailable, and it works again afterwards', async t => {
    const proxy = await FaultProxy.open(server.url);
    t.after(() => proxy.close());
    const store = await openOver(server, { endpoint: proxy.url, max_retries: 2 });
    const pointer = at(server.namespace, 'network/object');
    await store.put(pointer, Buffer.from('first'));
    proxy.refuse = true;
    proxy.cut();
    await rejectsWith(() => store.put(pointer, Buffer.from('second')), 'unavailable', /cannot be reached; check blockstore\.s3\.endpoint/);
    await rejectsWith(() => store.get(pointer), 'unavailable');
    await rejectsWith(() => store.exists(pointer), 'unavailable');
    await rejectsWith(() => collect(store.walk(server.namespace)), 'unavailable');
    proxy.refuse = false;
    assert.equal((await buffer(await store.get(pointer))).toString(), 'first');
    // Connections that lie ready are cut: the next request finds out and is repeated.
    proxy.cut();
    await store.put(pointer, Buffer.from('third'));
    await store.close();
    const nowhere = await openOver(server, { endpoint: `http://127.0.0.1:${await freePort()}`, max_retries: 2 });
    await rejectsWith(() => nowhere.exists(pointer), 'unavailable', /ECONNREFUSED/);
    await nowhere.close();
  });

  it('that breaks a download for long fails it', async t => {
    const proxy = await FaultProxy.open(server.url);
    t.after(() => proxy.close());
    const store = await openOver(server, { endpoint: proxy.url });
    const pointer = at(server.namespace, 'network/download');
    const content = pattern(4 * mebibyte);
    await store.put(pointer, content);
    proxy.cutAfterBytes = mebibyte;
    let received = 0;
    await rejectsWith(async () => {
      for await (const chunk of await store.get(pointer)) {
        received += (chunk as Buffer).length;
        proxy.refuse = true;
      }
    }, 'unavailable');
    assert.ok(received > 0 && received < content.length);
    proxy.refuse = false;
    proxy.cutAfterBytes = Number.POSITIVE_INFINITY;
    assert.ok((await buffer(await store.get(pointer))).equals(content));
    await store.close();
  });

  it('that breaks an upload leaves nothing', async t => {
    const proxy = await FaultProxy.open(server.url);
    t.after(() => proxy.close());
    const store = await openOver(server, { endpoint: proxy.url, max_retries: 3 });
    const content = pattern(3 * mebibyte);
    const cut = async (): Promise<void> => {
      await sleep(50);
      proxy.cut();
      await sleep(50);
    };
    const pointer = at(server.namespace, 'cut/object');
    await rejectsWith(() => store.put(pointer, streamOf(content, cut), { size: content.length + 1 }), 'unavailable');
    assert.deepEqual(await leftovers(server, 'cut/'), nothing);
    // Buffered parts are sent again over a new connection.
    await store.put(pointer, streamOf(pattern(20 * mebibyte), cut));
    assert.equal((await store.properties(pointer)).size, 20 * mebibyte);
    await store.remove(pointer);
    // The body fails, or the caller goes away, when parts have been sent.
    const breaks = async (): Promise<void> => Promise.reject(new Error('the body broke off'));
    await assert.rejects(() => store.put(pointer, streamOf(pattern(20 * mebibyte), breaks)), /the body broke off/);
    const controller = new AbortController();
    const body = streamOf(pattern(20 * mebibyte), async () => {
      controller.abort();
      await once(body, 'close');
    });
    await rejectsWith(() => store.put(pointer, body, { signal: controller.signal }), 'cancelled');
    assert.deepEqual(await leftovers(server, 'cut/'), nothing);
    await store.close();
  });

  it('that loses one part leaves nothing, and lets go of the body', async t => {
    let parts = 0;
    const between = await ScriptedHttp.open((request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.includes('partNumber') || ++parts < 3) return passOn(server.url, request, response);
      request.resume().on('end', () => refuse(response, 403, 'AccessDenied'));
    });
    t.after(() => between.close());
    const store = await openOver(server, { endpoint: between.url });
    // It never ends on its own.
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(256 << 10);
      })(),
      { objectMode: false },
    );
    await rejectsWith(() => store.put(at(server.namespace, 'lost/object'), endless), 'forbidden');
    assert.ok(endless.destroyed);
    assert.deepEqual(await leftovers(server, 'lost/'), nothing);
    await store.close();
  });

  it('reports a wrong secret without the secret', async () => {
    const store = await openOver(server, { 'credentials.secret_access_key': secretAccessKey });
    const failure = store.get(at(server.namespace, 'x'));
    await assert.rejects(failure, (error: Error) => !`${error.stack}`.includes(secretAccessKey));
    await rejectsWith(() => failure, 'forbidden', /does not accept the credentials; check blockstore\.s3\.credentials/);
    await store.close();
  });
});

describe('a server that goes away and comes back', { skip: noGateway }, () => {
  let server: S3Server;
  let store: BlockStore;
  before(async () => {
    server = await startGateway();
    store = await openOver(server, { max_retries: 2 });
  });
  after(async () => {
    await store.close();
    await server.close();
  });

  it('is unavailable meanwhile and works again without reopening', async () => {
    const pointer = at(server.namespace, 'restart/object');
    await store.put(pointer, Buffer.from('kept'));
    const { uploadId } = await store.createMultipart(at(server.namespace, 'restart/joined'));
    const part = await store.uploadPart(at(server.namespace, 'restart/joined'), uploadId, 1, Buffer.from('part'));
    await server.stop();
    await rejectsWith(() => store.get(pointer), 'unavailable');
    await rejectsWith(() => store.put(pointer, Buffer.from('lost')), 'unavailable');
    await server.start();
    assert.equal((await buffer(await store.get(pointer))).toString(), 'kept');
    await store.completeMultipart(at(server.namespace, 'restart/joined'), uploadId, [{ partNumber: 1, ...part }]);
    assert.equal((await buffer(await store.get(at(server.namespace, 'restart/joined')))).toString(), 'part');
  });

  it('in the middle of an upload fails it and leaves no object', async () => {
    const pointer = at(server.namespace, 'midway/object');
    const dies = streamOf(pattern(3 * mebibyte), async () => server.stop());
    await rejectsWith(() => store.put(pointer, dies, { size: 3 * mebibyte + 1 }), 'unavailable');
    await server.start();
    assert.deepEqual(await leftovers(server, 'midway/'), nothing);
    await store.put(pointer, Buffer.from('now'));
    assert.equal(await store.exists(pointer), true);
  });
});
