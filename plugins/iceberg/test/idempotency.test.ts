/** Requests that are repeated with the same key, and changes that are committed at once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { MemoryKvStore, until } from '@srv/kernel/testing';
import { CatalogError } from '../src/server/errors.js';
import { IdempotentRequests, partition } from '../src/server/idempotency.js';
import { addUser, logIn, namespacePath, schema, startCatalog } from './support/server.js';
import type { TestContext } from 'node:test';
import type { KvStore } from '@srv/kernel';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
const sales = namespacePath('lake', 'main', 'sales');
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

const post = (path: string, body: object, key: string, token?: string) =>
  server.call('POST', path, { body, headers: { 'idempotency-key': key }, ...(token === undefined ? {} : { token }) });
const setProperty = (value: string) => ({ requirements: [], updates: [{ action: 'set-properties', updates: { n: value } }] });
const versionsOf = async (name: string): Promise<number> => {
  const { body } = await server.call('GET', `${sales}/tables/${name}`);
  return (JSON.parse(body) as { metadata: { 'metadata-log': unknown[] } }).metadata['metadata-log'].length;
};

test('the configuration names the life of a key', async () => {
  const { body } = await server.call('GET', '/iceberg/api/v1/config');
  assert.equal((JSON.parse(body) as Record<string, unknown>)['idempotency-key-lifetime'], 'PT30M');
});

test('a repeated change has the same answer and no further effect', async () => {
  const token = await logIn(server);
  const [creation, change] = [randomUUID(), randomUUID()];
  const first = await post(`${sales}/tables`, { name: 'a', schema }, creation, token);
  assert.equal(first.status, 200, first.body);
  assert.match(first.body, /s3.secret-access-key/);
  const again = await post(`${sales}/tables`, { name: 'a', schema }, creation, token);
  assert.deepEqual([again.status, again.body, again.headers['etag']], [200, first.body, first.headers['etag']]);
  assert.equal((await post(`${sales}/tables`, { name: 'a', schema }, randomUUID(), token)).status, 409);
  const done = await post(`${sales}/tables/a`, setProperty('1'), change);
  assert.deepEqual((await post(`${sales}/tables/a`, setProperty('1'), change)).body, done.body);
  assert.equal(await versionsOf('a'), 1);
  for await (const page of server.kernel.services.get('kv').scan('iceberg-requests'))
    for (const { value } of page) assert.doesNotMatch(value.toString(), /secret|metadata/);
});

test('requests at the same moment are one change', async () => {
  await server.call('POST', `${sales}/tables`, { body: { name: 'b', schema } });
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(`${sales}/tables/b`, setProperty('1'), key)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  assert.equal(await versionsOf('b'), 1);
});

test('a refusal is repeated although the change would succeed by now', async () => {
  const key = randomUUID();
  const refused = await post(`${sales}/tables/c`, setProperty('1'), key);
  assert.equal(refused.status, 404);
  await server.call('POST', `${sales}/tables`, { body: { name: 'c', schema } });
  const again = await post(`${sales}/tables/c`, setProperty('1'), key);
  assert.deepEqual([again.status, again.body], [404, refused.body]);
  assert.equal((await post(`${sales}/tables/c`, setProperty('1'), randomUUID())).status, 200);
});

test('a key of another request is refused, that of another user is another key', async () => {
  await server.call('POST', `${sales}/tables`, { body: { name: 'd', schema } });
  const key = randomUUID();
  assert.equal((await post(`${sales}/tables/d`, setProperty('1'), key)).status, 200);
  assert.match(
    (await post(`${sales}/tables/d`, setProperty('2'), key)).body,
    /UnprocessableEntityException.*used for another request|used for another request/,
  );
  assert.match((await post(`${sales}/tables/d`, setProperty('2'), 'mine')).body, /Idempotency-Key is not a UUID/);
  const token = await addUser(server, 'other', [{ action: ['catalog:*'], resource: '*' }]);
  assert.equal((await post(`${sales}/tables/d`, setProperty('3'), key, token)).status, 200);
  assert.equal(await versionsOf('d'), 2);
});

test('a user who may not change a table is asked again after rights were given', async () => {
  await server.call('POST', `${sales}/tables`, { body: { name: 'e', schema } });
  const token = await addUser(server, 'late', [{ action: ['catalog:ReadTable'], resource: '*' }]);
  const key = randomUUID();
  assert.equal((await post(`${sales}/tables/e`, setProperty('1'), key, token)).status, 403);
  const auth = server.kernel.services.get('auth');
  await auth.createPolicy('more', [{ effect: 'allow', action: ['catalog:UpdateTable'], resource: '*' }]);
  await auth.attachToUser('late', 'more');
  assert.equal((await post(`${sales}/tables/e`, setProperty('1'), key, token)).status, 200);
});

test('with iceberg.commit each, every change is a commit of its branch', async () => {
  const each = await startCatalog({ 'iceberg.commit': 'each' });
  try {
    const place = namespacePath('lake', 'dev', 'sales');
    await each.call('POST', '/namespaces', { body: { namespace: ['lake', 'dev', 'sales'] } });
    await each.call('POST', `${place}/tables`, { body: { name: 'a', schema } });
    await each.call('POST', `${place}/tables/a`, { body: setProperty('1') });
    await each.call('POST', '/tables/rename', {
      body: { source: { namespace: ['lake', 'dev', 'sales'], name: 'a' }, destination: { namespace: ['lake', 'dev', 'sales'], name: 'b' } },
    });
    assert.equal((await each.call('POST', `${place}/tables/none`, { body: setProperty('1') })).status, 404);
    await each.call('DELETE', `${place}/tables/b`);
    const { results } = await each.engine.log('lake', 'dev');
    assert.deepEqual(
      results.slice(0, -1).map(({ message, committer }) => [message, committer]),
      [
        'drop table sales.b',
        'rename table sales.a to sales.b',
        'change table sales.a',
        'create table sales.a',
        'create namespace sales',
      ].map(what => [`iceberg: ${what}`, 'admin']),
    );
    assert.deepEqual((await each.engine.diffUncommitted('lake', 'dev')).results, []);
    // Where a hook refuses, the change is there, uncommitted.
    each.kernel.hooks.event.for('pre-commit').tap('iceberg', () => {
      throw new Error('not today');
    });
    assert.equal((await each.call('POST', `${place}/tables`, { body: { name: 'c', schema } })).status, 200);
    assert.equal((await each.engine.diffUncommitted('lake', 'dev')).results.length, 1);
  } finally {
    await each.stop();
  }
});

/** Requests with one key, on a database that refuses the next `faults` writes of an outcome. */
function sameKey(kv: MemoryKvStore, faults: number) {
  const warnings: string[] = [];
  const requests = new IdempotentRequests(kv, 'secret', { warn: (_: unknown, message: string) => void warnings.push(message) });
  const setIf = kv.setIf.bind(kv);
  let left = faults;
  kv.setIf = async (name, key, value, condition) => {
    const isClaim = value.includes('"at"') && !value.includes('"sealed"') && !value.includes('"at":0');
    if (!isClaim && left-- > 0) throw new Error('the database is away');
    return setIf(name, key, value, condition);
  };
  const request = { user: 'ann', key: randomUUID(), method: 'POST', url: '/x', body: '' };
  return { requests, warnings, ask: (work: () => Promise<{ status: number; body: string }>) => requests.run(request, work) };
}

test('a change whose outcome cannot be stored at once is answered, and not made again', async () => {
  const { requests, ask, warnings } = sameKey(new MemoryKvStore(), 2);
  let changes = 0;
  const change = async () => ({ status: 200, body: String(++changes) });
  assert.equal((await ask(change)).body, '1');
  assert.equal((await ask(change)).body, '1');
  assert.equal(warnings[0], 'the outcome of a request was not stored; it will be tried again');
  await requests.stop();
});

test('a refusal that cannot be stored at once is the answer, also to a repeated request', async () => {
  const { requests, ask } = sameKey(new MemoryKvStore(), 1);
  const refuse = async () => {
    throw new CatalogError(409, 'CommitFailedException', 'it has changed');
  };
  await assert.rejects(ask(refuse), { status: 409, message: 'it has changed' });
  await assert.rejects(
    ask(async () => ({ status: 200, body: '' })),
    { status: 409, message: 'it has changed' },
  );
  await requests.stop();
});

test('a request that failed without a refusal is carried out again, also when its end could not be stored at once', async () => {
  const { requests, ask } = sameKey(new MemoryKvStore(), 1);
  const fail = async () => {
    throw new Error('the store is away');
  };
  await assert.rejects(ask(fail), /the store is away/);
  assert.equal((await ask(async () => ({ status: 200, body: 'done' }))).body, 'done');
  await requests.stop();
});

test('stopping stores an outcome that is not stored yet', async () => {
  const kv = new MemoryKvStore();
  const { requests, ask } = sameKey(kv, 1);
  await ask(async () => ({ status: 200, body: 'done' }));
  await requests.stop();
  for await (const page of kv.scan(partition)) for (const { value } of page) assert.match(value.toString(), /sealed/);
});

test('a request that ends after another one has taken its key leaves the record of that one', async () => {
  for (const isRefused of [false, true]) {
    const kv = new MemoryKvStore();
    const { requests, ask } = sameKey(kv, 0);
    const record = async () => {
      for await (const page of kv.scan(partition)) for (const entry of page) return entry;
      return assert.fail('the claim is missing');
    };
    const other = Buffer.from(JSON.stringify({ request: 'x', at: Date.now() + 1 }));
    const late = ask(async () => {
      await kv.set(partition, (await record()).key, other);
      if (isRefused) throw new Error('the store is away');
      return { status: 200, body: '' };
    });
    await late.catch(() => undefined);
    assert.equal((await record()).value.toString(), other.toString());
    await requests.stop();
  }
});

/** Requests of which the next begins a sweep of a database with old records. */
async function due(t: TestContext, kv: KvStore) {
  const warnings: string[] = [];
  const requests = new IdempotentRequests(kv, 'secret', { warn: (_: unknown, message: string) => void warnings.push(message) });
  const old = Buffer.from(JSON.stringify({ request: 'x', at: Date.now() - 3_600_000, sealed: '' }));
  for (let i = 0; i < 40; i++) await kv.set(partition, Buffer.from(`old ${i}`), old);
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + 660_000);
  const ask = async (): Promise<unknown> => {
    const request = { user: 'ann', key: randomUUID(), method: 'POST', url: '/x', body: '' };
    return (await requests.run(request, async () => ({ status: 200, body: 'done' }))).body;
  };
  return { requests, ask, warnings };
}

async function oldRecords(kv: KvStore): Promise<string[]> {
  const found: string[] = [];
  for await (const page of kv.scan(partition)) found.push(...page.map(({ key }) => key.toString()).filter(key => key.startsWith('old ')));
  return found;
}

test('requests do not wait for the removal of old records, of which one is under way; stopping ends it', async t => {
  const kv = new MemoryKvStore();
  const { requests, ask } = await due(t, kv);
  const remove = kv.delete.bind(kv);
  const held: (() => void)[] = [];
  kv.delete = async (...args) => {
    await new Promise<void>(resolve => held.push(resolve));
    await remove(...args);
  };
  assert.deepEqual([await ask(), await ask()], ['done', 'done']);
  await until(() => held.length === 16);
  let hasStopped = false;
  const stopping = requests.stop().then(() => (hasStopped = true));
  await new Promise(setImmediate);
  assert.equal(hasStopped, false, 'what has begun needs the database');
  for (const release of held) release();
  await stopping;
  assert.equal((await oldRecords(kv)).length, 40 - 16);
});

test('old records go, but not one that a request has taken again, and a failure is logged', async t => {
  const kv = new MemoryKvStore();
  const { ask, warnings } = await due(t, kv);
  const [get, remove] = [kv.get.bind(kv), kv.delete.bind(kv)];
  kv.get = async (name, key) => {
    const taken = Buffer.from(JSON.stringify({ request: 'y', at: Date.now() }));
    if (key.toString() === 'old 7') await kv.set(name, key, taken);
    return get(name, key);
  };
  kv.delete = async (name, key) => {
    if (key.toString() === 'old 3') throw new Error('the database is away');
    await remove(name, key);
  };
  assert.equal(await ask(), 'done');
  await until(() => warnings.length > 0);
  assert.deepEqual(await oldRecords(kv), ['old 3', 'old 7']);
  assert.deepEqual(warnings, ['old records of repeated requests were not removed; it will be tried again']);
});
