import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { FaultProxy, ScriptedHttp, passOn } from '@srv/test-servers';
import { at, namespace, quickRetry, useAzurite } from './azurite.js';
import type { RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import type { BlockStore } from '@srv/lib-stores/block';
import type { OpenOptions } from '../src/server/open.js';

const { server, open } = useAzurite();
const block = 8 << 20;

/** A store on a server that answers as instructed, and passes on what `answer` returns false for. */
async function scripted(
  t: TestContext,
  answer: (...given: Parameters<RequestListener>) => boolean,
  options: OpenOptions = {},
): Promise<BlockStore> {
  const origin = new URL(server().url).origin;
  const http = await ScriptedHttp.open((request, response) => {
    if (!answer(request, response)) passOn(origin, request, response);
  });
  t.after(() => http.close());
  return open({ testEndpointUrl: `${http.url}/${server().account}`, ...options });
}

async function proxied(t: TestContext, options: OpenOptions = {}): Promise<{ proxy: FaultProxy; store: BlockStore }> {
  const proxy = await FaultProxy.open(server().url);
  t.after(() => proxy.close());
  return { proxy, store: open({ testEndpointUrl: proxy.url, ...options }) };
}

function refuse(status: number, code: string): (...given: Parameters<RequestListener>) => true {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { 'x-ms-error-code': code, 'content-type': 'application/xml' });
    response.end(request.method === 'HEAD' ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
    return true;
  };
}

test('retries throttled requests as often as configured, then fails with slow_down', async t => {
  let [requests, refusals] = [0, Number.POSITIVE_INFINITY];
  const store = await scripted(t, (...given) => {
    requests++;
    return refusals-- > 0 && refuse(503, 'ServerBusy')(...given);
  });
  for (const call of [() => store.put(at('busy'), Buffer.from('x')), () => store.get(at('busy')), () => store.properties(at('busy'))]) {
    requests = 0;
    await rejectsWith(call, 'slow_down', /the storage account is throttling \(ServerBusy\)/);
    assert.equal(requests, quickRetry.tries);
  }
  refusals = 2;
  await store.put(at('busy'), Buffer.from('in the end'));
  assert.equal((await buffer(await store.get(at('busy')))).toString(), 'in the end');
});

test('errors of the service are tried again, then are unavailable; the message names the endpoint', async t => {
  let requests = 0;
  const store = await scripted(t, (...given) => {
    requests++;
    return refuse(500, 'InternalError')(...given);
  });
  await rejectsWith(
    () => store.properties(at('x')),
    'unavailable',
    /objects\/x: http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1 cannot be reached/,
  );
  assert.equal(requests, quickRetry.tries);
});

test('an archived object is unsupported, not missing', async t => {
  const store = await scripted(t, refuse(409, 'BlobArchived'));
  await rejectsWith(() => store.get(at('cold')), 'unsupported', /archive tier; rehydrate it/);
});

test('a server that goes away in the middle of an upload leaves nothing, and is used again when it is back', async () => {
  const store = open();
  const old = Buffer.from('what was there');
  await store.put(at('kept'), old);
  const body = new PassThrough();
  body.on('error', () => undefined);
  const put = rejectsWith(() => store.put(at('kept'), body), 'unavailable', /cannot be reached or did not finish its answer/);
  // Two blocks are sent, the third waits for more when the server goes.
  for (let sent = 0; sent < 2 * block + 100; sent += 1 << 20) if (!body.write(Buffer.alloc(1 << 20, 'n'))) await once(body, 'drain');
  await server().stop();
  body.end(Buffer.alloc(block));
  await put;
  await rejectsWith(() => store.get(at('kept')), 'unavailable');
  await rejectsWith(() => collect(store.walk(namespace)), 'unavailable');
  await server().start();
  assert.deepEqual(await buffer(await store.get(at('kept'))), old);
  await store.put(at('kept'), Buffer.from('new'));
  assert.equal((await buffer(await store.get(at('kept')))).toString(), 'new');
});

test('a multipart upload outlives a restart of the server', async () => {
  const store = open();
  const { uploadId } = await store.createMultipart(at('restarted'));
  const one = await store.uploadPart(at('restarted'), uploadId, 1, Buffer.alloc(block + 1, 1));
  await server().stop();
  await rejectsWith(() => store.uploadPart(at('restarted'), uploadId, 2, Buffer.from('two')), 'unavailable');
  await rejectsWith(() => store.completeMultipart(at('restarted'), uploadId, [{ partNumber: 1, ...one }]), 'unavailable');
  await server().start();
  const two = await store.uploadPart(at('restarted'), uploadId, 2, Buffer.from('two'));
  await store.completeMultipart(at('restarted'), uploadId, [
    { partNumber: 1, ...one },
    { partNumber: 2, ...two },
  ]);
  assert.equal((await store.properties(at('restarted'))).size, block + 4);
});

test('a download that breaks is taken up where it broke', async t => {
  const { proxy, store } = await proxied(t);
  const content = Buffer.alloc(3 * block, 'abcdefghij');
  await store.put(at('long'), content);
  for (const [start, end] of [
    [0, content.length - 1],
    [1234, content.length - 5678],
  ] as const) {
    proxy.cutAfterBytes = 5_000_000;
    const chunks: Buffer[] = [];
    for await (const chunk of await store.get(at('long'), { range: { start, end } })) {
      chunks.push(chunk as Buffer);
      proxy.cutAfterBytes = Number.POSITIVE_INFINITY;
      if (chunks.length === 20) proxy.cut();
    }
    assert.ok(Buffer.concat(chunks).equals(content.subarray(start, end + 1)));
  }
});

test('a download of an object that is replaced after the connection broke is an error, not a mixture', async t => {
  const { proxy, store } = await proxied(t);
  await store.put(at('mixed'), Buffer.alloc(3 * block, 'a'));
  const stream = await store.get(at('mixed'));
  await rejectsWith(
    async () => {
      let first = true;
      for await (const _ of stream) {
        if (first) await open().put(at('mixed'), Buffer.alloc(3 * block, 'b'));
        if (first) proxy.cut();
        first = false;
      }
    },
    'unavailable',
    /was replaced while it was read/,
  );
});

test('a download that keeps breaking is unavailable', async t => {
  await open().put(at('broken'), Buffer.alloc(1 << 20));
  let requests = 0;
  const store = await scripted(t, (request, response) => {
    if (request.method !== 'GET') return false;
    requests++;
    response.writeHead(requests === 1 ? 200 : 206, {
      'content-length': String(1 << 20),
      etag: '"0x1"',
      'last-modified': new Date().toUTCString(),
    });
    if (requests > 1) response.flushHeaders();
    else response.write(Buffer.alloc(1000));
    setTimeout(() => response.destroy(), 20);
    return true;
  });
  const stream = await store.get(at('broken'));
  await rejectsWith(() => buffer(stream), 'unavailable', /did not finish its answer/);
  assert.equal(requests, 4, 'three attempts to continue');
});

test('a server that does not answer is unavailable after the time-out', async t => {
  const store = await scripted(t, () => true, { tryTimeout: 100 });
  for (const call of [() => store.put(at('x'), Buffer.from('x')), () => store.get(at('x')), () => collect(store.walk(namespace))])
    await rejectsWith(call, 'unavailable', /no answer came in time/);
});

test('a server that stops sending is unavailable after the time-out', async t => {
  let requests = 0;
  const store = await scripted(
    t,
    (_, response) => {
      response.writeHead(requests++ === 0 ? 200 : 206, { 'content-length': '100', etag: '"0x1"' });
      if (requests === 1) response.write('begun');
      else response.flushHeaders();
      return true;
    },
    { tryTimeout: 100 },
  );
  await rejectsWith(async () => buffer(await store.get(at('x'))), 'unavailable');
});

test('a server that stops in the middle of a listing is unavailable after the time-out', async t => {
  const store = await scripted(
    t,
    (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/xml', 'content-length': '1000' });
      response.write('<?xml version="1.0" encoding="utf-8"?><EnumerationResults>');
      return true;
    },
    { tryTimeout: 100 },
  );
  await rejectsWith(() => collect(store.walk(namespace)), 'unavailable', /did not finish its answer/);
});

test('slow answers are waited for', async t => {
  const { proxy, store } = await proxied(t);
  proxy.delay = 50;
  await store.put(at('slow'), Buffer.alloc(300_000, 's'));
  assert.equal((await buffer(await store.get(at('slow')))).length, 300_000);
});

test('a caller who goes away ends what the service does not answer', async t => {
  const store = await scripted(t, () => true);
  for (const call of [
    (signal: AbortSignal) => store.put(at('x'), Buffer.from('x'), { signal }),
    (signal: AbortSignal) => store.get(at('x'), { signal }),
    (signal: AbortSignal) => store.copy(at('x'), at('y'), signal),
    (signal: AbortSignal) => collect(store.walk(namespace, { signal })),
  ]) {
    const controller = new AbortController();
    const cancelled = rejectsWith(() => call(controller.signal), 'cancelled');
    setTimeout(() => controller.abort(), 20);
    await cancelled;
  }
});

test('reports parts of a completed upload that cannot be removed, without failing', async t => {
  const warned: string[] = [];
  const { silentLogger } = await import('@srv/kernel');
  const log = { ...silentLogger, warn: (_: unknown, message: string) => void warned.push(message) };
  const store = await scripted(t, (...given) => given[0].method === 'DELETE' && refuse(500, 'InternalError')(...given), { log });
  const { uploadId } = await store.createMultipart(at('untidy'));
  const part = await store.uploadPart(at('untidy'), uploadId, 1, Buffer.from('x'));
  await store.completeMultipart(at('untidy'), uploadId, [{ partNumber: 1, ...part }]);
  assert.equal(await store.exists(at('untidy')), true);
  assert.deepEqual(warned, ['parts of a completed upload remain']);
});

test('something else than the service at its address is unavailable, and lists and holds nothing', async t => {
  const html = '<html><body>It works</body></html>';
  let [status, body] = [200, html];
  const store = await scripted(t, (request, response) => {
    request.resume().once('end', () => {
      response.writeHead(status, { 'content-type': 'text/html', location: 'http://127.0.0.1:9/' });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
    return true;
  });
  const advice =
    /something else than Blob Storage answers at http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1 .*; check blockstore\.azure\.domain/;
  for ([status, body] of [
    [200, html],
    [200, ''],
    [200, '<?xml version="1.0"?><ListBucketResult/>'],
    [302, html],
    [307, ''],
  ] as const) {
    for (const call of [
      () => collect(store.walk(`${namespace}/`)),
      () => store.exists(at('x')),
      () => store.put(at('x'), Buffer.from('x')),
      () => store.remove(at('x')),
      () => store.listParts(at('x'), '0'.repeat(32)),
    ])
      await rejectsWith(call, 'unavailable', advice);
  }
  [status, body] = [404, 'default backend - 404'];
  await rejectsWith(() => collect(store.walk(`${namespace}/`)), 'unavailable', advice);
});
