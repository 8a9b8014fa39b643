/** The database goes away, throttles, slows down or breaks off: clear errors, retries as configured, nothing lost. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { absent, isSrvError } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import { FaultProxy, ScriptedHttp, passOn } from '@srv/test-servers';
import { startDynamodb } from '@srv/test-servers/dynamodb';
import { bytes, openAt } from './stores.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestServer } from '@srv/test-servers';

const key = bytes('k');
const names = Array.from({ length: 20 }, (_, i) => bytes(`key-${String(i).padStart(3, '0')}`));
let server: TestServer;

before(async () => {
  server = await startDynamodb();
});
after(() => server.close());

/** Answers the first requests of one operation with `answer`, then passes them on. */
async function scripted(operation: string, times: number, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const state = { asked: 0 };
  const front = await ScriptedHttp.open((request, response) => {
    const asked = String(request.headers['x-amz-target']).endsWith(`.${operation}`);
    if (asked && state.asked++ < times) answer(request, response);
    else passOn(server.url, request, response);
  });
  return { front, state };
}

const refuse = (status: number, type: string) => (request: IncomingMessage, response: ServerResponse) => {
  request.resume();
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'set by the test' }));
};

test('a server that goes away and comes back is survived without reopening; what was acknowledged is there', async () => {
  const store = await openAt(server.url, { maxAttempts: 2 });
  const acknowledged: Buffer[] = [];
  await store.set('p', key, key);
  const unfinished = store.scan('p', { batchSize: 1 })[Symbol.asyncIterator]();
  await store.set('p', bytes('l'), key);
  await unfinished.next();
  const outcomes = Promise.allSettled(
    names.map(async name => {
      await store.set('p', name, name);
      acknowledged.push(name);
    }),
  );
  await new Promise(resolve => setTimeout(resolve, 30));
  await server.stop();
  for (const outcome of await outcomes) {
    if (outcome.status === 'rejected') assert.ok(isSrvError(outcome.reason, 'unavailable'), String(outcome.reason));
  }
  const message = /^DynamoDB table kvstore at http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.*; check database\.dynamodb\.endpoint/;
  await rejectsWith(() => store.get('p', key), 'unavailable', message);
  await rejectsWith(() => store.setIf('p', key, key, absent), 'unavailable');
  await rejectsWith(() => store.delete('p', key), 'unavailable');
  await rejectsWith(() => unfinished.next(), 'unavailable');
  await server.start();
  const found = new Set((await collect(store.scan('p'))).map(entry => entry.key.toString()));
  for (const name of [key, ...acknowledged]) assert.ok(found.has(name.toString()), `${name.toString()} was acknowledged`);
  await store.close();
});

test('throttling is retried max_attempts times, then slow_down', async () => {
  for (const type of ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']) {
    const { front, state } = await scripted('GetItem', 3, refuse(400, type));
    const { metrics, scrape } = createTestMetrics();
    const patient = await openAt(front.url, { maxAttempts: 4, metrics });
    await patient.get('p', key);
    assert.equal(state.asked, 4);
    assert.equal((await scrape()).value('dynamo_slowdown_total', { operation: 'GetItem' }), 3);
    state.asked = 0;
    const impatient = await openAt(front.url, { maxAttempts: 2 });
    await rejectsWith(() => impatient.get('p', key), 'slow_down', /set by the test; try again later/);
    assert.equal(state.asked, 2);
    await Promise.all([patient.close(), impatient.close(), front.close()]);
  }
});

test('many failures do not use up the retries of later requests', async () => {
  const { front, state } = await scripted('PutItem', 300, refuse(500, 'InternalServerError'));
  const store = await openAt(front.url, { maxAttempts: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => store.set('p', key, key)));
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isSrvError(outcome.reason, 'unavailable'));
  assert.equal(state.asked, 300, 'each request had its three attempts');
  await store.close();
  await front.close();
});

test('a failed condition after an unanswered attempt does not count as a failed condition', async () => {
  // The first attempt happens, its answer is lost.
  const { front, state } = await scripted('PutItem', 1, (request, response) => {
    const lost = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { writeHead: () => undefined });
    lost.on('finish', () => response.destroy());
    passOn(server.url, request, lost as unknown as ServerResponse);
  });
  const store = await openAt(front.url, { maxAttempts: 3 });
  await rejectsWith(() => store.setIf('lost', key, bytes('v'), absent), 'unavailable', /it may or may not have happened$/);
  assert.deepEqual((await store.get('lost', key))?.value, bytes('v'));
  state.asked = 1;
  assert.equal(await store.setIf('lost', key, bytes('w'), absent), false, 'a plain refusal is one');
  await store.close();
  await front.close();
});

test('a refusal of the condition after throttling is one', async () => {
  const { front } = await scripted('PutItem', 1, refuse(400, 'ThrottlingException'));
  const direct = await openAt(server.url);
  await direct.set('throttled', key, key);
  const store = await openAt(front.url);
  assert.equal(await store.setIf('throttled', key, bytes('w'), absent), false);
  await Promise.all([store.close(), direct.close(), front.close()]);
});

test('slow answers: unavailable, and all works again when they are fast', async () => {
  const proxy = await FaultProxy.open(server.url);
  const store = await openAt(proxy.url, { maxAttempts: 2, requestTimeout: 6000 });
  proxy.delay = 15_000;
  await rejectsWith(() => store.get('p', key), 'unavailable', /exceeded the configured 6000 ms requestTimeout/);
  proxy.delay = 0;
  await store.set('p', key, bytes('fast'));
  assert.deepEqual((await store.get('p', key))?.value, bytes('fast'));
  await store.close();
  await proxy.close();
});

test('answers cut in their middle are asked for again', async () => {
  const proxy = await FaultProxy.open(server.url);
  const store = await openAt(proxy.url);
  await Promise.all(names.map(name => store.set('cut', name, Buffer.alloc(1000, 1))));
  proxy.cutAfterBytes = 5_000;
  const cut = collect(store.scan('cut'));
  await new Promise(resolve => setTimeout(resolve, 50));
  while (proxy.cutAfterBytes > 0) await new Promise(resolve => setTimeout(resolve, 5));
  proxy.cutAfterBytes = Number.POSITIVE_INFINITY;
  assert.deepEqual(
    (await cut).map(entry => entry.key),
    names,
  );
  await store.close();
  await proxy.close();
});

test('credentials that are refused later: forbidden', async () => {
  for (const type of ['AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException']) {
    const { front, state } = await scripted('PutItem', 1, refuse(400, type));
    const store = await openAt(front.url);
    await rejectsWith(() => store.set('p', key, key), 'forbidden', /check the credentials/);
    assert.equal(state.asked, 1, 'not asked again');
    await store.close();
    await front.close();
  }
});

test('credentials that are refused at start: config', async () => {
  const front = await ScriptedHttp.open(refuse(400, 'AccessDeniedException'));
  await rejectsWith(() => openAt(front.url), 'config', /^database\.dynamodb: .*check the credentials/);
  await front.close();
});

test('an aborted request ends at once, also while it waits to be sent again', async () => {
  const { front } = await scripted('GetItem', Number.POSITIVE_INFINITY, () => undefined);
  const store = await openAt(front.url);
  const controller = new AbortController();
  const reading = rejectsWith(() => store.get('p', key, controller.signal), 'cancelled');
  setTimeout(() => controller.abort(), 30);
  await reading;
  await store.set('p', key, key);
  await store.close();
  await front.close();
  const throttled = await scripted('Query', Number.POSITIVE_INFINITY, refuse(400, 'ThrottlingException'));
  const other = await openAt(throttled.front.url, { maxAttempts: 1000 });
  const later = new AbortController();
  const scanning = rejectsWith(() => collect(other.scan('p', { signal: later.signal })), 'cancelled');
  while (throttled.state.asked < 3) await new Promise(resolve => setTimeout(resolve, 5));
  later.abort();
  await scanning;
  await other.close();
  await throttled.front.close();
});

test('an empty page with more after it does not end a scan', async () => {
  const keyOf = { PartitionKey: { B: bytes('p').toString('base64') }, ItemKey: { B: bytes('a').toString('base64') } };
  const { front } = await scripted('Query', 1, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ Items: [], Count: 0, LastEvaluatedKey: keyOf }));
  });
  const store = await openAt(front.url);
  await store.set('empty-page', key, key);
  const direct = await openAt(server.url);
  await direct.set('p', key, key);
  assert.ok((await collect(store.scan('p'))).length > 0);
  await Promise.all([store.close(), direct.close(), front.close()]);
});
