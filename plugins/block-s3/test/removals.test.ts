/** Requests that remove many objects, as they go over the wire and as stores answer them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { at } from './bodies.js';
import { openAt } from './opened.js';
import { record, refuse, succeed, xml } from './recorded.js';

const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `data/${i}`);
const deleted = (names: readonly string[]): string =>
  `<DeleteResult>${names.map(key => `<Deleted><Key>${key}</Key></Deleted>`).join('')}</DeleteResult>`;
const pointers = (count: number) => keys(count).map(key => at('s3://bucket', key));

test('objects go a thousand to a request', async t => {
  const recorder = await record(t, (_, response, index) => xml(response, deleted(keys(2500).slice(1000 * index, 1000 * (index + 1)))));
  const store = await openAt(recorder.url);
  assert.deepEqual(await store.removeAll(pointers(2500)), []);
  assert.deepEqual(recorder.seen(), ['POST /bucket/', 'POST /bucket/', 'POST /bucket/']);
  assert.ok(recorder.requests.every(({ url }) => /[?&]delete/.test(url)));
  await store.close();
});

test('each object has its own answer; one that is not there is gone', async t => {
  const recorder = await record(t, (_, response) =>
    xml(
      response,
      '<DeleteResult><Deleted><Key>data/0</Key></Deleted><Deleted><Key>data/4</Key></Deleted><Error><Key>data/1</Key><Code>AccessDenied</Code><Message>no</Message></Error>' +
        '<Error><Key>data/2</Key><Code>NoSuchKey</Code><Message>none</Message></Error>' +
        '<Error><Key>data/3</Key><Code>SlowDown</Code><Message>later</Message></Error></DeleteResult>',
    ),
  );
  const store = await openAt(recorder.url);
  const failures = await store.removeAll(pointers(5));
  assert.deepEqual(
    failures.map(({ pointer, error }) => [pointer.identifier, (error as { code?: string }).code]),
    [
      ['data/1', 'forbidden'],
      ['data/3', 'slow_down'],
    ],
  );
  assert.match(failures[0]?.error.message ?? '', /s3:\/\/bucket\/data\/1: the store denies access.*AccessDenied: no/);
  await store.close();
});

test('a store that does not know the request is asked for one object at a time', async t => {
  const recorder = await record(t, (request, response, index) =>
    request.method === 'POST' ? refuse(response, 501, 'NotImplemented') : succeed(request, response, index),
  );
  const store = await openAt(recorder.url);
  assert.deepEqual(await store.removeAll(pointers(3)), []);
  assert.deepEqual(recorder.seen().toSorted(), [
    'DELETE /bucket/data/0',
    'DELETE /bucket/data/1',
    'DELETE /bucket/data/2',
    'POST /bucket/',
  ]);
  await store.close();
});

test('removes keys that XML cannot hold one by one', async t => {
  const recorder = await record(t, (request, response, index) =>
    request.method === 'POST' ? xml(response, deleted(['plain'])) : succeed(request, response, index),
  );
  const store = await openAt(recorder.url);
  assert.deepEqual(await store.removeAll([at('s3://bucket', 'plain'), at('s3://bucket', 'bell\u0007')]), []);
  assert.deepEqual(recorder.seen().toSorted(), ['DELETE /bucket/bell%07', 'POST /bucket/']);
  await store.close();
});

test('a store that refuses or fails says so for every object; a cancelled removal is cancelled', async t => {
  const recorder = await record(t, (_, response) => refuse(response, 500, 'InternalError'));
  const store = await openAt(recorder.url, { max_retries: 1 });
  const failures = await store.removeAll(pointers(3));
  assert.deepEqual(
    failures.map(({ error }) => (error as { code?: string }).code),
    ['unavailable', 'unavailable', 'unavailable'],
  );
  const stop = new AbortController();
  const stalled = await record(t, () => stop.abort());
  const stalling = await openAt(stalled.url);
  await rejectsWith(() => stalling.removeAll(pointers(3), { signal: stop.signal }), 'cancelled');
  await Promise.all([store.close(), stalling.close()]);
});
