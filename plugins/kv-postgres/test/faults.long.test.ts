/** The database goes away, slows down or refuses: clear errors, nothing lost, and all works again without reopening. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absent, isSrvError } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { FaultProxy } from '@srv/test-servers';
import pg from 'pg';
import { Connections } from '../src/server/connections.js';
import { alone, bytes, connect, open, withParameters, withPostgres } from './server.js';
import type { Statement } from '../src/server/statements.js';

const key = bytes('k');
const names = Array.from({ length: 50 }, (_, i) => bytes(`key-${String(i).padStart(3, '0')}`));
const statement = (name: string, text: string): Statement => ({ name, text, rowMode: 'array' });

await withPostgres(server => {
  test('a server that crashes and comes back is survived without reopening; what was acknowledged is there', async () => {
    const store = await open(await server.createDatabase());
    await Promise.all(names.map(name => store.set('p', name, name)));
    const unfinished = store.scan('p', { batchSize: 5 })[Symbol.asyncIterator]();
    await unfinished.next();
    const acknowledged: Buffer[] = [];
    const writes = names.map(async name => {
      const other = Buffer.concat([name, bytes('-other')]);
      await store.set('p', other, name);
      acknowledged.push(other);
    });
    const outcomes = Promise.allSettled(writes);
    await server.stop();
    for (const outcome of await outcomes) {
      if (outcome.status === 'rejected') assert.ok(isSrvError(outcome.reason, 'unavailable'), String(outcome.reason));
    }
    await rejectsWith(
      () => store.get('p', key),
      'unavailable',
      /^PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+: .*; check that the server runs/,
    );
    await rejectsWith(() => store.set('p', key, key), 'unavailable');
    await rejectsWith(() => store.setIf('p', key, key, absent), 'unavailable');
    await rejectsWith(() => store.delete('p', key), 'unavailable');
    await rejectsWith(() => unfinished.next(), 'unavailable');
    await rejectsWith(() => open(server.url), 'unavailable', /^database\.postgres\.connection_string: PostgreSQL at/);
    await server.start();
    const found = new Set((await collect(store.scan('p'))).map(entry => entry.key.toString()));
    for (const name of [...names, ...acknowledged]) assert.ok(found.has(name.toString()), `${name.toString()} was acknowledged`);
    assert.equal(await store.setIf('p', key, key, absent), true);
    await store.close();
  });

  test('a read whose connection breaks is sent again; a write is not, since it may have happened', async () => {
    const url = await server.createDatabase();
    const proxy = await FaultProxy.open(url);
    const store = await open(proxy.url, { maxOpenConnections: 1 });
    await store.set('p', key, key);
    const read = await store.get('p', key);
    assert.ok(read);
    proxy.delay = 100;
    const reading = store.get('p', key);
    await soon(() => proxy.cut());
    assert.deepEqual((await reading)?.value, key);
    for (const write of [
      () => store.setIf('p', key, bytes('new'), read.predicate),
      () => store.set('p', key, bytes('new')),
      () => store.delete('p', key),
    ]) {
      await store.get('p', key);
      const writing = rejectsWith(write, 'unavailable', /the write may or may not have happened$/);
      await soon(() => proxy.cut());
      await writing;
    }
    proxy.delay = 0;
    await store.set('p', key, bytes('after'));
    assert.deepEqual((await store.get('p', key))?.value, bytes('after'));
    await store.close();
    await proxy.close();
  });

  test('ignores an answer that is cut off: the scan asks again and is complete', async () => {
    const url = await server.createDatabase();
    const proxy = await FaultProxy.open(url);
    const store = await open(proxy.url);
    await Promise.all(names.map(name => store.set('p', name, Buffer.alloc(1000, 1))));
    proxy.cutAfterBytes = 20_000;
    const cut = collect(store.scan('p'));
    await cut.catch(error => assert.ok(isSrvError(error, 'unavailable'), String(error)));
    proxy.cutAfterBytes = Number.POSITIVE_INFINITY;
    assert.deepEqual(
      (await collect(store.scan('p'))).map(entry => entry.key),
      names,
    );
    await store.close();
    await proxy.close();
  });

  test('connections that the administrator ends are replaced, idle or not', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    const store = await open(url);
    await Promise.all(names.map(name => store.set('p', name, name)));
    const reading = Promise.allSettled(Array.from({ length: 20 }, () => collect(store.scan('p'))));
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    for (const outcome of await reading) {
      if (outcome.status === 'rejected') throw outcome.reason;
      assert.equal(outcome.value.length, names.length);
    }
    assert.equal((await collect(store.scan('p'))).length, names.length);
    await store.close();
  });

  test('an aborted read ends at once, also while it waits in line, and its connection comes back', async () => {
    const url = await server.createDatabase();
    const store = await open(url, { maxOpenConnections: 1 });
    const admin = await connect(url);
    await admin.query('BEGIN; LOCK TABLE kv IN ACCESS EXCLUSIVE MODE');
    const controller = new AbortController();
    const running = rejectsWith(() => store.get('p', key, controller.signal), 'cancelled');
    const scanning = rejectsWith(() => collect(store.scan('p', { signal: controller.signal })), 'cancelled');
    const inLine = rejectsWith(() => store.set('p', key, key, controller.signal), 'cancelled');
    await soon(() => controller.abort());
    await Promise.all([running, scanning, inLine]);
    await admin.query('COMMIT');
    assert.equal(await store.get('p', key), undefined, 'the write that waited in line was not sent');
    await store.close();
  });

  test('an aborted statement that does not end loses its connection, not a place in the pool', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    pool.on('connect', client => client.on('error', () => undefined));
    const connections = new Connections(pool, 'here', 20);
    const controller = new AbortController();
    const endless = statement('endless', 'SELECT pg_sleep(600)');
    const reading = rejectsWith(() => connections.read(endless, [], controller.signal), 'cancelled');
    await soon(() => controller.abort());
    await reading;
    const one = statement('one', 'SELECT 1 AS one');
    assert.deepEqual(await connections.read(one, []), [[1]]);
    const later = new AbortController();
    const writing = rejectsWith(() => connections.write(endless, [], later.signal), 'cancelled');
    await soon(() => later.abort());
    await writing;
    assert.deepEqual(await connections.read(one, []), [[1]]);
    await connections.close();
    const admin = await connect(server.url);
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`);
  });

  test('an aborted write that was sent is waited for, so that it cannot overtake a later one', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    const admin = await connect(url);
    await store.set('p', key, bytes('before'));
    await admin.query('BEGIN; LOCK TABLE kv IN ACCESS EXCLUSIVE MODE');
    const controller = new AbortController();
    const writing = store.set('p', key, bytes('after'), controller.signal);
    await untilBlocked(admin);
    controller.abort();
    await admin.query('COMMIT');
    await writing;
    assert.deepEqual((await store.get('p', key))?.value, bytes('after'));
    await store.close();
  });

  test('too many connections for the server: slow_down', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    await (await open(url)).close();
    await admin.query(
      `CREATE ROLE narrow LOGIN PASSWORD 'narrow' CONNECTION LIMIT 1; GRANT SELECT, INSERT, UPDATE, DELETE ON kv TO narrow`,
    );
    const narrow = new URL(url);
    [narrow.username, narrow.password] = ['narrow', 'narrow'];
    const store = await open(narrow.href);
    const outcomes = await Promise.allSettled(names.map(name => store.get('p', name, alone())));
    const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    assert.ok(refused.length > 0);
    for (const reason of refused) {
      assert.ok(isSrvError(reason, 'slow_down'), String(reason));
      assert.match(reason.message, /too many connections.*raise max_connections/);
    }
    assert.equal(await store.get('p', key), undefined);
    await store.close();
  });

  test('all connections busy for longer than connect_timeout: slow_down', async () => {
    const url = await server.createDatabase();
    const store = await open(withParameters(url, { connect_timeout: '5' }), { maxOpenConnections: 1 });
    const admin = await connect(url);
    await admin.query('BEGIN; LOCK TABLE kv IN ACCESS EXCLUSIVE MODE');
    const first = store.get('p', key);
    await untilBlocked(admin);
    await rejectsWith(() => store.get('p', key), 'slow_down', /raise database\.postgres\.max_open_connections/);
    await admin.query('COMMIT');
    assert.equal(await first, undefined);
    await store.close();
  });

  test('a statement that the server ends for its length: timeout', async () => {
    const url = await server.createDatabase();
    const store = await open(withParameters(url, { statement_timeout: '5000' }));
    const admin = await connect(url);
    await admin.query('BEGIN; LOCK TABLE kv IN ACCESS EXCLUSIVE MODE');
    await rejectsWith(() => store.set('p', key, key), 'timeout', /statement timeout/);
    await admin.query('COMMIT');
    await store.set('p', key, key);
    await store.close();
  });

  test('a server that accepts statements and does not answer: unavailable, once, and its connections are closed', async () => {
    const proxy = await FaultProxy.open(await server.createDatabase());
    const store = await open(withParameters(proxy.url, { query_timeout: '2000' }), { maxOpenConnections: 6 });
    await Promise.all(names.map(name => store.set('p', name, name, alone())));
    const read = await store.get('p', names[0] ?? key);
    assert.ok(read);
    proxy.silent = true;
    const doubt = /does not answer; check it, its disk and the network; the write may or may not have happened$/;
    await Promise.all([
      rejectsWith(
        () => store.get('p', key),
        'unavailable',
        /Query read timeout; the server accepts statements and does not answer; [^;]+$/,
      ),
      rejectsWith(() => store.get('p', key, alone()), 'unavailable'),
      rejectsWith(() => collect(store.scan('p')), 'unavailable'),
      rejectsWith(() => store.set('p', key, key), 'unavailable', doubt),
      rejectsWith(() => store.setIf('p', names[0] ?? key, key, read.predicate), 'unavailable', doubt),
      rejectsWith(() => store.delete('p', key), 'unavailable', doubt),
    ]);
    proxy.silent = false;
    assert.equal((await collect(store.scan('p', { batchSize: 10 }))).length >= names.length, true);
    await store.set('p', key, bytes('after'));
    assert.deepEqual((await store.get('p', key))?.value, bytes('after'));
    await store.close();
    await proxy.close();
  });

  test('statements that the server undoes for others are sent again', async () => {
    const url = await server.createDatabase();
    const store = await open(withParameters(url, { default_transaction_isolation: 'serializable' }));
    await store.set('p', key, bytes('0'));
    let increments = 0;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let i = 0; i < 10; i++) {
          const read = await store.get('p', key);
          assert.ok(read);
          const next = bytes(String(Number(read.value) + 1));
          if (await store.setIf('p', key, next, read.predicate)) increments++;
        }
      }),
    );
    assert.equal((await store.get('p', key))?.value.toString(), String(increments));
    await store.close();
  });

  test('a server that takes no writes: unavailable', async () => {
    const url = await server.createDatabase();
    await (await open(url)).close();
    const store = await open(withParameters(url, { default_transaction_read_only: 'on' }));
    assert.equal(await store.get('p', key), undefined);
    await rejectsWith(
      () => store.set('p', key, key),
      'unavailable',
      /read-only transaction; the server takes no writes now; name the primary/,
    );
    await store.close();
  });

  test('keys the index cannot hold are refused', async () => {
    const store = await open(await server.createDatabase());
    // Random, since the index compresses.
    const long = Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * i * 7919) >>> 3));
    await rejectsWith(() => store.set('p', long, key), 'invalid', /the key or value is too large/);
    await store.close();
  });
});

/** Does something after what was begun has been sent. */
async function soon(act: () => void): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 30));
  act();
}

/** Waits until a statement waits for a lock. */
async function untilBlocked(admin: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await admin.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    if (rows.length > 0) return;
  }
}
