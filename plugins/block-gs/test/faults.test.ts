import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { collect, rejectsWith, until } from '@srv/kernel/testing';
import { FaultProxy, ScriptedHttp, passOn } from '@srv/test-servers';
import { at, bucket, namespace, quickRetry, useGs } from './served.js';
import type { RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import type { BlockStore } from '@srv/lib-stores/block';
import type { OpenOptions } from '../src/server/open.js';

const { server, open } = useGs();
const block = 8 << 20;

type Answer = (...given: Parameters<RequestListener>) => boolean;

/** A store on a server that answers as instructed, and passes on what `answer` returns false for. */
async function scripted(t: TestContext, answer: Answer, options: OpenOptions = {}): Promise<BlockStore> {
  const http = await ScriptedHttp.open((request, response) => {
    if (!answer(request, response)) passOn(server().url, request, response);
  });
  t.after(() => http.close());
  return open({ testEndpointUrl: http.url, ...options });
}

async function proxied(t: TestContext): Promise<{ proxy: FaultProxy; store: BlockStore }> {
  const proxy = await FaultProxy.open(server().url);
  t.after(() => proxy.close());
  return { proxy, store: await open({ testEndpointUrl: proxy.url }) };
}

function refuse(status: number, reason: string): Answer {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: status, message: 'no', errors: [{ reason }] } }));
    return true;
  };
}

test('retries throttled requests as often as configured, then fails with slow_down', async t => {
  let [requests, refusals] = [0, Number.POSITIVE_INFINITY];
  let answer = refuse(429, 'rateLimitExceeded');
  const store = await scripted(t, (...given) => {
    requests++;
    return refusals-- > 0 && answer(...given);
  });
  for (answer of [refuse(429, 'rateLimitExceeded'), refuse(503, 'backendError')]) {
    for (const call of [() => store.put(at('busy'), Buffer.from('x')), () => store.get(at('busy')), () => store.properties(at('busy'))]) {
      requests = 0;
      await rejectsWith(call, 'slow_down', /the service is throttling/);
      assert.equal(requests, quickRetry.tries);
    }
  }
  refusals = 2;
  await store.put(at('busy'), Buffer.from('in the end'));
  assert.equal((await buffer(await store.get(at('busy')))).toString(), 'in the end');
});

test('errors of the service are tried again, then are unavailable; the message names the endpoint', async t => {
  let requests = 0;
  const store = await scripted(t, (...given) => {
    requests++;
    return refuse(500, 'backendError')(...given);
  });
  await rejectsWith(() => store.properties(at('x')), 'unavailable', /gs:\/\/objects\/x: http:\/\/127\.0\.0\.1:\d+ cannot be reached/);
  assert.equal(requests, quickRetry.tries);
});

test('denied requests are forbidden, say what to check, and are not tried again', async t => {
  let requests = 0;
  const store = await scripted(t, (...given) => {
    requests++;
    return refuse(403, 'forbidden')(...given);
  });
  await rejectsWith(() => store.properties(at('x')), 'forbidden', /access denied; check blockstore\.gs\.credentials_file/);
  await rejectsWith(() => store.exists(at('x')), 'forbidden');
  assert.equal(requests, 2);
});

test('a server that goes away in the middle of an upload leaves nothing, and is used again when it is back', async () => {
  const store = await open();
  const old = Buffer.from('what was there');
  await store.put(at('kept'), old);
  const body = new PassThrough();
  body.on('error', () => undefined);
  const put = rejectsWith(() => store.put(at('kept'), body), 'unavailable', /cannot be reached or did not finish its answer/);
  for (let sent = 0; sent < 3 * block; sent += 1 << 20) if (!body.write(Buffer.alloc(1 << 20, 'n'))) await once(body, 'drain');
  await server().stop();
  body.end(Buffer.alloc(block));
  await put;
  await rejectsWith(() => store.get(at('kept')), 'unavailable');
  await rejectsWith(() => collect(store.walk(`${namespace}/`)), 'unavailable');
  await server().start();
  assert.deepEqual(await buffer(await store.get(at('kept'))), old);
  await store.put(at('kept'), Buffer.from('new'));
  assert.equal((await buffer(await store.get(at('kept')))).toString(), 'new');
});

test('a multipart upload outlives a restart of the server', async () => {
  const store = await open();
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

test('an upload whose connection breaks is taken up where the service has got to', async t => {
  const content = Buffer.alloc(3 * block + 77, 'resumable');
  let [puts, broken] = [0, 0];
  const store = await scripted(t, (request, response) => {
    if (request.method !== 'PUT') return false;
    puts++;
    const range = /^bytes (\d+)-\d+\/(.+)$/.exec(request.headers['content-range'] ?? '');
    // The second block is lost before it arrives, of the third and last the answer is.
    if (range?.[1] === String(block) && broken === 0) {
      broken++;
      request.resume();
      setTimeout(() => response.destroy(), 20);
      return true;
    }
    if (range && range[2] !== '*' && broken === 1) {
      broken++;
      passOn(server().url, request, Object.assign(response, { writeHead: () => response.destroy() }));
      return true;
    }
    return false;
  });
  await store.put(at('resumed'), content);
  assert.equal(broken, 2);
  assert.ok(puts >= 6);
  assert.ok((await buffer(await store.get(at('resumed')))).equals(content));
});

test('resumes an upload from the middle of a block if the service kept only half of it', async t => {
  const content = Buffer.alloc(2 * block + 5, '0123456789');
  let cut = false;
  const store = await scripted(t, (request, response) => {
    const range = /^bytes (\d+)-(\d+)\/\*$/.exec(request.headers['content-range'] ?? '');
    if (!range || cut) return false;
    cut = true;
    const keep = 4 << 20;
    const take = async (): Promise<void> => {
      const bytes = (await buffer(request)).subarray(0, keep);
      const headers = { 'content-range': `bytes ${range[1]}-${Number(range[1]) + keep - 1}/*` };
      const answer = await fetch(`${server().url}${request.url}`, { method: 'PUT', headers, body: new Uint8Array(bytes) });
      response.writeHead(answer.status, { range: answer.headers.get('range') ?? '' }).end();
    };
    void take();
    return true;
  });
  await store.put(at('halved'), content);
  assert.equal(cut, true);
  assert.ok((await buffer(await store.get(at('halved')))).equals(content));
});

test('bytes that change on their way are refused by the service, and nothing is left', async t => {
  const store = await scripted(t, (request, response) => {
    if (request.method !== 'PUT' && !request.url?.includes('uploadType=multipart')) return false;
    const change = async (): Promise<void> => {
      const bytes = await buffer(request);
      const at = bytes.length - 100;
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
      );
      const answer = await fetch(`${server().url}${request.url}`, {
        method: request.method ?? 'PUT',
        headers: headers as Record<string, string>,
        body: new Uint8Array(bytes),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
    };
    void change();
    return true;
  });
  for (const size of [1000, block + 1000]) {
    await rejectsWith(() => store.put(at('changed'), Buffer.alloc(size, 'x')), 'invalid', /doesn't match/);
    assert.equal(await store.exists(at('changed')), false);
  }
});

test('an upload that the service has lost says so', async t => {
  let blocks = 0;
  const store = await scripted(t, (...given) => given[0].method === 'PUT' && ++blocks > 1 && refuse(410, 'gone')(...given));
  await rejectsWith(
    () => store.put(at('lost'), Buffer.alloc(3 * block)),
    'unavailable',
    /has forgotten the upload; write the object again/,
  );
  assert.equal(await store.exists(at('lost')), false);
});

test('names that would stand for the bucket are refused', async () => {
  const store = await open();
  for (const name of ['.', '..']) {
    await rejectsWith(() => store.remove(at(name)), 'invalid', /does not accept the name/);
    await rejectsWith(() => store.put(at(name), Buffer.from('x')), 'invalid');
  }
  assert.equal(server().fake.objects.hasBucket(bucket), true);
});

test('failed and cancelled uploads leave no session behind', async t => {
  let pieces = 0;
  const store = await scripted(t, ({ method }) => {
    if (method === 'PUT') pieces++;
    return false;
  });
  const fake = server().fake;
  const sessions = fake.openSessions;
  const big = (): PassThrough => {
    const body = new PassThrough();
    body.on('error', () => undefined);
    body.write(Buffer.alloc(3 * block));
    return body;
  };
  // A session whose name has not come back yet cannot be given up.
  const begun = (): Promise<boolean> => {
    const before = pieces;
    return until(() => pieces > before);
  };
  const failing = big();
  const failed = assert.rejects(() => store.put(at('left'), failing));
  await begun();
  failing.destroy(new Error('the body broke off'));
  await failed;
  const controller = new AbortController();
  const cancelled = rejectsWith(() => store.put(at('left'), big(), { signal: controller.signal }), 'cancelled');
  await begun();
  controller.abort();
  await cancelled;
  const wrong = big();
  wrong.end();
  await rejectsWith(() => store.put(at('left'), wrong, { size: 3 * block + 1 }), 'invalid');
  assert.equal(fake.openSessions, sessions);
  assert.deepEqual(fake.objects.names(bucket, 'left', ''), []);
});

test('a download that breaks is taken up where it broke', async t => {
  const { proxy, store } = await proxied(t);
  const content = Buffer.alloc(3 * block, 'abcdefghij');
  await store.put(at('long'), content);
  for (const range of [undefined, { start: 1234, end: content.length - 5678 }]) {
    const chunks: Buffer[] = [];
    for await (const chunk of await store.get(at('long'), range ? { range } : {})) {
      chunks.push(chunk as Buffer);
      if (chunks.length === 20) proxy.cut();
    }
    assert.ok(Buffer.concat(chunks).equals(range ? content.subarray(range.start, range.end + 1) : content));
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
        if (first) await (await open()).put(at('mixed'), Buffer.alloc(3 * block, 'b'));
        if (first) proxy.cut();
        first = false;
      }
    },
    'unavailable',
    /was replaced while it was read/,
  );
});

test('a download that ends early again and again is unavailable', async t => {
  let requests = 0;
  const store = await scripted(t, (_, response) => {
    requests++;
    response.writeHead(requests === 1 ? 200 : 206, { 'content-length': '100000', 'x-goog-generation': '1' });
    if (requests === 1) response.write(Buffer.alloc(1000));
    else response.flushHeaders();
    setTimeout(() => response.destroy(), 20);
    return true;
  });
  const stream = await store.get(at('broken'));
  await rejectsWith(() => buffer(stream), 'unavailable', /did not finish its answer/);
  assert.equal(requests, 4, 'three attempts to continue');
});

test('a server that does not answer is unavailable after the time-out, and not asked again', async t => {
  let requests = 0;
  const store = await scripted(t, () => ++requests > 0, { timeout: 50 });
  for (const call of [() => store.put(at('x'), Buffer.from('x')), () => store.get(at('x')), () => collect(store.walk(`${namespace}/`))])
    await rejectsWith(call, 'unavailable', /no answer came in time/);
  // Where the machine is held up, the time is over before the request is sent.
  assert.ok(requests <= 3, `three calls asked ${requests} times`);
});

test('a server that stops sending is unavailable after the time-out', async t => {
  let requests = 0;
  const store = await scripted(
    t,
    (_, response) => {
      response.writeHead(requests++ === 0 ? 200 : 206, { 'content-length': '100', 'x-goog-generation': '1' });
      if (requests === 1) response.write('begun');
      else response.flushHeaders();
      return true;
    },
    { timeout: 50 },
  );
  await rejectsWith(async () => buffer(await store.get(at('x'))), 'unavailable');
});

test('a server that stops in the middle of an answer that is not content is unavailable after the time-out, and not asked again', async t => {
  for (const status of [200, 403]) {
    let requests = 0;
    const store = await scripted(
      t,
      (request, response) => {
        requests++;
        request.resume();
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"items":[');
        return true;
      },
      { timeout: 50 },
    );
    for (const call of [
      () => collect(store.walk(`${namespace}/`)),
      () => store.properties(at('x')),
      () => store.put(at('x'), Buffer.from('x')),
      () => store.copy(at('x'), at('y')),
    ])
      await rejectsWith(call, 'unavailable', /no answer came in time/);
    // Where the machine is held up, a request arrives after its call has ended, or never.
    assert.ok(requests <= 4, `${status}: four calls asked ${requests} times`);
  }
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
    (signal: AbortSignal) => store.put(at('x'), Buffer.alloc(3 * block), { signal }),
    (signal: AbortSignal) => store.get(at('x'), { signal }),
    (signal: AbortSignal) => store.copy(at('x'), at('y'), signal),
    (signal: AbortSignal) => collect(store.walk(`${namespace}/`, { signal })),
  ]) {
    const controller = new AbortController();
    const cancelled = rejectsWith(() => call(controller.signal), 'cancelled');
    setTimeout(() => controller.abort(), 20);
    await cancelled;
  }
});

test('a caller who goes away ends the waiting for another try', async t => {
  const store = await scripted(t, refuse(503, 'backendError'), { retry: { tries: 5, delay: 60_000 } });
  const controller = new AbortController();
  const cancelled = rejectsWith(() => store.copy(at('x'), at('y'), controller.signal), 'cancelled');
  setTimeout(() => controller.abort(), 50);
  await cancelled;
});
