/** The database goes away, throttles, slows down or breaks off: clear errors, bounded retries, nothing lost. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { absent, isSrvError, present } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { FaultProxy, ScriptedHttp, passOn } from '@srv/test-servers';
import { startCosmosdb } from '@srv/test-servers/cosmosdb';
import { bytes, openAt } from './stores.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

const key = bytes('k');
const names = Array.from({ length: 20 }, (_, i) => bytes(`key-${String(i).padStart(3, '0')}`));
const server = await startCosmosdb();
after(() => server.close());

/** Answers the first requests about documents with `answer`, then passes them on. */
async function scripted(times: number, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const state = { asked: 0, active: false };
  const front = await ScriptedHttp.open((request, response) => {
    if (state.active && request.url?.includes('/docs') && state.asked++ < times) answer(request, response);
    else passOn(server.url, request, response);
  });
  return { front, state };
}

const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ message: 'set by the test' }));
  };

test('a server that goes away and comes back is survived without reopening; what was acknowledged is there', async () => {
  const store = await openAt(server.url);
  const acknowledged: Buffer[] = [];
  await store.set('p', key, key);
  await store.set('p', bytes('l'), key);
  const unfinished = store.scan('p', { batchSize: 1 })[Symbol.asyncIterator]();
  await unfinished.next();
  const outcomes = Promise.allSettled(
    names.map(async name => {
      await store.set('p', name, name);
      acknowledged.push(name);
    }),
  );
  await new Promise(resolve => setTimeout(resolve, 10));
  await server.stop();
  for (const outcome of await outcomes) {
    if (outcome.status === 'rejected') assert.ok(isSrvError(outcome.reason, 'unavailable'), String(outcome.reason));
  }
  await rejectsWith(
    () => store.get('p', key),
    'unavailable',
    /^Cosmos DB container srv\/\S+ at 127\.0\.0\.1:\d+: .*check database\.cosmosdb\.endpoint/,
  );
  await rejectsWith(() => store.setIf('p', key, key, absent), 'unavailable');
  await rejectsWith(() => store.delete('p', key), 'unavailable');
  await rejectsWith(() => unfinished.next(), 'unavailable');
  await server.start();
  const found = new Set((await collect(store.scan('p'))).map(entry => entry.key.toString()));
  for (const name of [key, ...acknowledged]) assert.ok(found.has(name.toString()), `${name.toString()} was acknowledged`);
  assert.equal(await store.setIf('p', key, bytes('after'), present), true);
  await store.close();
});

test('throttling is retried, then slow_down', async () => {
  const { front, state } = await scripted(3, refuse(429, { 'x-ms-retry-after-ms': '1' }));
  const store = await openAt(front.url);
  state.active = true;
  await store.set('p', key, key);
  assert.equal(state.asked, 4);
  state.asked = Number.NEGATIVE_INFINITY;
  await rejectsWith(() => store.setIf('p', key, key, present), 'slow_down', /set by the test; try again later, or raise the throughput/);
  await store.close();
  await front.close();
});

test('faults of the service and refused credentials have their codes', async () => {
  for (const [status, code] of [
    [500, 'unavailable'],
    [503, 'unavailable'],
    [408, 'unavailable'],
    [449, 'slow_down'],
    [413, 'invalid'],
    [403, 'forbidden'],
  ] as const) {
    const { front, state } = await scripted(Number.POSITIVE_INFINITY, refuse(status));
    const store = await openAt(front.url);
    state.active = true;
    await rejectsWith(() => store.set('p', key, key), code, /set by the test/);
    await store.close();
    await front.close();
  }
});

test('a container that is gone is not taken for a document that is missing', async () => {
  const { front, state } = await scripted(Number.POSITIVE_INFINITY, refuse(404, { 'x-ms-substatus': '1003' }));
  const store = await openAt(front.url);
  await store.set('p', key, key);
  const { predicate } = (await store.get('p', key)) ?? {};
  assert.ok(predicate);
  state.active = true;
  const changes = ([absent, present, predicate] as const).map(condition => () => store.setIf('p', key, key, condition));
  for (const call of [() => store.get('p', key), () => store.delete('p', key), () => store.set('p', key, key), ...changes])
    await rejectsWith(call, 'unavailable', /^Cosmos DB container .*the database or the container is gone/);
  await store.close();
  await front.close();
});

test('a write whose answer is lost is not sent again; a read is', async () => {
  const { front, state } = await scripted(1, (_request, response) => response.destroy());
  const store = await openAt(front.url);
  state.active = true;
  await rejectsWith(() => store.setIf('lost', key, key, absent), 'unavailable', /the write may or may not have happened$/);
  assert.equal(state.asked, 1);
  state.asked = 0;
  assert.equal(await store.get('lost', key), undefined);
  assert.equal(state.asked, 2);
  await store.close();
  await front.close();
});

test('slow answers: unavailable, and all works again when they are fast', async () => {
  const proxy = await FaultProxy.open(server.url);
  const store = await openAt(proxy.url, { requestTimeout: 6000 });
  proxy.delay = 15_000;
  await rejectsWith(() => store.set('slow', key, key), 'unavailable', /more than 6000 ms/);
  proxy.delay = 0;
  await store.set('slow', key, bytes('fast'));
  assert.deepEqual((await store.get('slow', key))?.value, bytes('fast'));
  await store.close();
  await proxy.close();
});

test('an aborted request ends at once, also while it waits to be sent again', async () => {
  const hanging = await scripted(Number.POSITIVE_INFINITY, () => undefined);
  const store = await openAt(hanging.front.url);
  hanging.state.active = true;
  const controller = new AbortController();
  const reading = rejectsWith(() => store.get('p', key, controller.signal), 'cancelled');
  setTimeout(() => controller.abort(), 30);
  await reading;
  await store.close();
  await hanging.front.close();
  const throttled = await scripted(Number.POSITIVE_INFINITY, refuse(429, { 'x-ms-retry-after-ms': '2000' }));
  const other = await openAt(throttled.front.url);
  throttled.state.active = true;
  const later = new AbortController();
  const scanning = rejectsWith(() => collect(other.scan('p', { signal: later.signal })), 'cancelled');
  while (throttled.state.asked < 1) await new Promise(resolve => setTimeout(resolve, 5));
  later.abort();
  await scanning;
  await throttled.front.close();
});

test('nothing reaches the standard error of the user', async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', listen);
  const store = await openAt(server.url);
  const { signal } = new AbortController();
  await Promise.all(names.map(name => store.set('p', name, name, signal)));
  await store.close();
  await new Promise(resolve => setTimeout(resolve, 10));
  process.off('warning', listen);
  assert.deepEqual(warnings, []);
});
