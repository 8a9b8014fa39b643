/** Reads that share a request each get their own answer, and none is older than its question. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { startDynamodb } from '@srv/test-servers/dynamodb';
import { bytes, openAt } from './stores.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestServer } from '@srv/test-servers';

let server: TestServer;

before(async () => {
  server = await startDynamodb();
});
after(() => server.close());

interface BatchRequest {
  readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly object[] }>>;
}

/** Counts operations, and answers batches itself where `batch` does. */
async function counting(batch?: (request: BatchRequest, response: ServerResponse) => void) {
  const counts: Record<string, number> = {};
  const front = await ScriptedHttp.open((request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    counts[operation] = (counts[operation] ?? 0) + 1;
    if (batch && operation === 'BatchGetItem') void bodyOf(request).then(body => batch(JSON.parse(body) as BatchRequest, response));
    else passOn(server.url, request, response);
  });
  return { front, counts };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
};

const names = Array.from({ length: 230 }, (_, i) => bytes(`key-${String(i).padStart(3, '0')}`));

/** Of every second name there is a record, with the name as its value. */
async function fill(partition: string): Promise<void> {
  const store = await openAt(server.url);
  await Promise.all(names.filter((_, i) => i % 2 === 0).map(name => store.set(partition, name, name)));
  await store.close();
}

async function readAll(store: Awaited<ReturnType<typeof openAt>>, partition: string): Promise<void> {
  // Each is asked for twice.
  const found = await Promise.all([...names, ...names].map(name => store.get(partition, name)));
  assert.deepEqual(
    found.map(value => value?.value.toString()),
    [...names, ...names].map((name, i) => ((i % names.length) % 2 === 0 ? name.toString() : undefined)),
  );
}

test('batches reads of one turn of the event loop into few requests, across partitions', async () => {
  await fill('together');
  await fill('beside');
  const { front, counts } = await counting();
  const store = await openAt(front.url);
  await Promise.all([readAll(store, 'together'), readAll(store, 'beside')]);
  assert.equal(counts['GetItem'] ?? 0, 0);
  assert.ok((counts['BatchGetItem'] ?? 0) <= 12, `${counts['BatchGetItem']} requests for 920 reads`);
  await store.get('together', bytes('alone'));
  assert.equal(counts['GetItem'], 1, 'a single read is not a batch');
  await store.close();
  await front.close();
});

test('reads what a batch leaves over separately', async () => {
  await fill('left');
  const { front, counts } = await counting(({ RequestItems }, response) =>
    answer(response, 200, { Responses: {}, UnprocessedKeys: RequestItems }),
  );
  const store = await openAt(front.url);
  await readAll(store, 'left');
  assert.ok((counts['GetItem'] ?? 0) >= names.length);
  await store.close();
  await front.close();
});

test('a policy that allows single reads only is enough', async () => {
  await fill('single');
  const { front, counts } = await counting((_, response) =>
    answer(response, 400, {
      __type: 'com.amazon.coral.service#AccessDeniedException',
      message: 'not authorized to perform dynamodb:BatchGetItem',
    }),
  );
  const store = await openAt(front.url);
  await readAll(store, 'single');
  const tried = counts['BatchGetItem'] ?? 0;
  await readAll(store, 'single');
  assert.equal(counts['BatchGetItem'], tried, 'it is not tried again');
  await store.close();
  await front.close();
});

test('a batch that fails fails all its reads, and no others', async () => {
  await fill('failing');
  let isBroken = true;
  const { front } = await counting(({ RequestItems }, response) =>
    isBroken
      ? answer(response, 500, { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'set by the test' })
      : answer(response, 200, { Responses: {}, UnprocessedKeys: RequestItems }),
  );
  const store = await openAt(front.url, { maxAttempts: 2 });
  const outcomes = await Promise.allSettled(names.slice(0, 20).map(name => store.get('failing', name)));
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isSrvError(outcome.reason, 'unavailable'));
  isBroken = false;
  await readAll(store, 'failing');
  await store.close();
  await front.close();
});

test('reads that have begun are answered although the store is closed; later ones are refused', async () => {
  await fill('closing');
  const store = await openAt(server.url);
  const reading = readAll(store, 'closing');
  const closed = store.close();
  await assert.rejects(store.get('closing', bytes('late')), error => isSrvError(error, 'closed'));
  await Promise.all([reading, closed]);
});

test('no read is older than its question', async () => {
  const { seed, below } = seededRandom();
  const { front } = await counting();
  const store = await openAt(front.url);
  const keys = Array.from({ length: 6 }, (_, i) => ({ name: bytes(`k${i}`), begun: 0, done: 0 }));
  let isOver = false;
  const writers = keys.map(async key => {
    while (!isOver) {
      const version = ++key.begun;
      await store.set('fresh', key.name, bytes(String(version)));
      key.done = version;
    }
  });
  const reader = async (): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      const chosen = keys.filter(() => below(10) < 6);
      await Promise.all(
        chosen.map(async key => {
          const least = key.done;
          const found = Number((await store.get('fresh', key.name))?.value ?? 0);
          assert.ok(found >= least && found <= key.begun, `${found} is not between ${least} and ${key.begun}, seed ${seed}`);
        }),
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: 8 }, () => reader()));
  } finally {
    isOver = true;
    await Promise.all(writers);
    await store.close();
    await front.close();
  }
});
