/** Opening: what every key does, what is set up, and what can go wrong. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Config } from '@srv/kernel';
import { collect, createTestKernel, rejectsWith, until } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import { freePort } from '@srv/test-servers';
import section from '../src/config.js';
import plugin from '../src/server/index.js';
import { fnv1a, lockNumber } from '../src/server/schema.js';
import { alone, bytes, connect, open, withParameters, withPostgres } from './server.js';
import type pg from 'pg';

const key = bytes('k');
const plugins = [{ plugin, section }];

test('the lock number is FNV-1a', () => {
  assert.deepEqual(['', 'a', 'foobar'].map(fnv1a), [0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  assert.equal(lockNumber('kv'), fnv1a('lakefs:kv'));
});

test('the defaults are those of the specification', () => {
  assert.deepEqual(Config.create([section], []).values(section.keys), {
    'database.postgres.connection_string': 'postgres://localhost:5432/postgres?sslmode=disable',
    'database.postgres.max_open_connections': 25,
    'database.postgres.max_idle_connections': 25,
    'database.postgres.connection_max_lifetime': 300_000,
  });
});

test('refuses settings out of range', async () => {
  for (const [name, value] of [
    ['max_open_connections', 0],
    ['max_idle_connections', -1],
    ['connection_max_lifetime', 'soon'],
  ] as const) {
    const config = { 'database.type': 'postgres', [`database.postgres.${name}`]: value };
    await rejectsWith(() => createTestKernel({ plugins, config }), 'config', new RegExp(name));
  }
});

test('rejects empty connection strings without repeating them', async () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['mysql://user:secret-word@host/db', /must begin with postgres:\/\//],
    ['postgres://user:secret-word%@host/db', /with %40 for @ and %25 for %/],
    ['postgres://user:secret-word@host:port/db', /is not a URL/],
    ['postgres://user:secret-word@one,two/db', /one,two names several hosts/],
    ['host=one,two password=secret-word', /one,two names several hosts/],
    ['host=127.0.0.1 port=abc dbname=a password=secret-word', /port=abc is not a port; use a number from 1 to 65535/],
    ['host=127.0.0.1 port=99999 password=secret-word', /port=99999 is not a port/],
    ['host=127.0.0.1 port=5432,5433 password=secret-word', /port=5432,5433 is not a port/],
    ['postgres://user:secret-word@127.0.0.1/db?port=abc', /port=abc is not a port/],
    ['postgres://user:secret-word@127.0.0.1:0/db', /port=0 is not a port/],
    ['user secret-word', /neither a URL .* nor pairs/],
    ['', /neither a URL .* nor pairs/],
    ['postgres://user:secret-word@host/db?sslmode=maybe', /sslmode=maybe is unknown; use one of disable,/],
    ['postgres://user:secret-word@host/db?connect_timeout=soon', /connect_timeout=soon is not a number of seconds/],
    ['postgres://user:secret-word@host/db?query_timeout=1m', /query_timeout=1m is not a number of milliseconds up to 2147483647/],
    ['postgres://user:secret-word@host/db?query_timeout=3000000000', /query_timeout=3000000000 is not a number of milliseconds/],
    ['postgres://user:secret-word@host/db?lakefskv_table=a;b', /lakefskv_table=a;b is not a table name/],
    ['postgres://user:secret-word@host/db?sslrootcert=/no/such/file', /\/no\/such\/file.*check the files/],
  ];
  for (const [text, message] of wrong) await refusedWithoutSecret(text, 'config', message);
});

test('a server that is not there is named with the key and without the password', async () => {
  const port = await freePort();
  await refusedWithoutSecret(
    `postgres://user:secret-word@127.0.0.1:${port}/db`,
    'unavailable',
    new RegExp(
      `^database\\.postgres\\.connection_string: PostgreSQL at 127\\.0\\.0\\.1:${port}/db: .*ECONNREFUSED.*check that the server runs`,
    ),
  );
  await refusedWithoutSecret(`postgres://user:secret-word@localhost:${port}/db`, 'unavailable', /ECONNREFUSED/);
  await refusedWithoutSecret('postgres://user:secret-word@no-such-host.invalid/db', 'unavailable', /no-such-host\.invalid:5432/);
  await refusedWithoutSecret('host=/no/such/folder password=secret-word', 'unavailable', /ENOENT/);
});

await withPostgres(server => {
  const activity = async (admin: pg.Client): Promise<{ pid: number; application_name: string }[]> =>
    (
      await admin.query(
        `SELECT pid, application_name FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      )
    ).rows as { pid: number; application_name: string }[];
  /** The server ends a connection a moment after its client has. */
  const allClosed = (admin: pg.Client): Promise<true> => until(async () => (await activity(admin)).length === 0);

  test('the plugin opens the store the configuration names, and closes it with the kernel', async () => {
    const url = await server.createDatabase();
    const config = { 'database.type': 'postgres', 'database.postgres.connection_string': url };
    const kernel = await createTestKernel({ plugins, config });
    const kv = kernel.services.get('kv');
    assert.equal(kv.type, 'postgres');
    await kv.set('p', key, bytes('v'));
    await kernel.stop();
    await rejectsWith(() => kv.get('p', key), 'closed');
    await allClosed(await connect(url));
  });

  test('the pool of connections is measured', async () => {
    const { plugin: measuring, scrape } = createTestMetrics();
    const config = { 'database.type': 'postgres', 'database.postgres.connection_string': await server.createDatabase() };
    const kernel = await createTestKernel({ plugins: [measuring, ...plugins], config });
    const kv = kernel.services.get('kv');
    await Promise.all(Array.from({ length: 5 }, (_, i) => kv.set('p', bytes(`k${i}`), bytes('v'), alone())));
    const page = await scrape();
    const value = (name: string) => page.value(`pgxpool_${name}`, { db_name: 'kv' });
    assert.deepEqual([value('max_conns'), value('acquired_conns'), page.value('out_in_use_conns', { service: 'postgres' })], [25, 0, 0]);
    assert.equal(value('total_conns'), value('idle_conns'));
    assert.ok(value('new_conns_count') >= value('total_conns') && value('total_conns') > 0);
    assert.ok(value('acquire_count') >= 6, 'one to set up, five to write');
    await kernel.stop();
  });

  test('reports a wrong password, user, database and parameters with the key, without the password', async () => {
    const wrong = (change: (url: URL) => void): string => {
      const url = new URL(server.url);
      change(url);
      return url.href;
    };
    await refusedWithoutSecret(
      wrong(url => (url.password = 'secret-word')),
      'config',
      /^database\.postgres\.connection_string: .*password authentication failed.*check user and password/,
    );
    await refusedWithoutSecret(
      wrong(url => (url.password = '')),
      'config',
      /check user and password/,
    );
    await refusedWithoutSecret(
      wrong(url => (url.pathname = '/nowhere')),
      'config',
      /database "nowhere" does not exist; create the database or name another/,
    );
    await refusedWithoutSecret(withParameters(server.url, { surprise: '1' }), 'config', /"surprise"; remove it/);
  });

  test('reports a user without rights', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    await admin.query(`CREATE ROLE outsider LOGIN PASSWORD 'secret-word'`);
    const outsider = new URL(url);
    [outsider.username, outsider.password] = ['outsider', 'secret-word'];
    await refusedWithoutSecret(outsider.href, 'config', /permission denied for schema public; grant the user/);
    await (await open(url)).close();
    const store = await open(outsider.href);
    await rejectsWith(() => store.get('p', key), 'forbidden', /permission denied for table kv/);
    await store.close();
  });

  test('makes table, partitions and view; servers that start together take turns', async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(url, { maxOpenConnections: 1 })));
    await stores[0]?.set('p/a', bytes('k\u0000'), bytes('v'));
    const admin = await connect(url);
    const { rows } = await admin.query(`SELECT partition_key, key, value FROM kv_v`);
    assert.deepEqual(rows, [{ partition_key: 'p/a', key: 'k\\000', value: bytes('v') }]);
    const parts = await admin.query(`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'kv'::regclass`);
    assert.deepEqual(parts.rows.map(row => String(row.name)).sort(), Array.from({ length: 100 }, (_, i) => `kv_${i}`).sort());
    await Promise.all(stores.map(store => store.close()));
  });

  test('waits for another program that sets up the same table', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    await admin.query('SELECT pg_advisory_lock($1)', [lockNumber('kv')]);
    let opened = false;
    const opening = open(url).then(store => {
      opened = true;
      return store;
    });
    for (;;) {
      const { rows } = await admin.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`);
      if (rows.length > 0) break;
    }
    assert.equal(opened, false);
    await admin.query('SELECT pg_advisory_unlock($1)', [lockNumber('kv')]);
    await (await opening).close();
  });

  test('uses the table of an existing installation as it is', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    const part = (i: number) => `CREATE TABLE kv_${i} PARTITION OF kv FOR VALUES WITH (MODULUS 100, REMAINDER ${i})`;
    await admin.query(
      [
        'CREATE TABLE kv (partition_key BYTEA NOT NULL, key BYTEA NOT NULL, value BYTEA NOT NULL, PRIMARY KEY (partition_key, key)) PARTITION BY HASH (partition_key)',
        ...Array.from({ length: 100 }, (_, i) => part(i)),
        `CREATE VIEW kv_v AS SELECT encode(partition_key, 'escape') AS p, encode(key, 'escape') AS k, value AS v FROM kv`,
        `INSERT INTO kv VALUES ('kv-internal-metadata', 'kv/schema/version', '4')`,
        `CREATE ROLE worker LOGIN PASSWORD 'worker'`,
        'GRANT SELECT, INSERT, UPDATE, DELETE ON kv TO worker',
      ].join(';'),
    );
    const worker = new URL(url);
    [worker.username, worker.password] = ['worker', 'worker'];
    const store = await open(worker.href);
    assert.deepEqual((await store.get('kv-internal-metadata', bytes('kv/schema/version')))?.value, bytes('4'));
    await store.set('é', key, bytes('v'));
    const { rows } = await admin.query(`SELECT partition_key FROM kv WHERE key = 'k'`);
    assert.deepEqual(rows, [{ partition_key: bytes('é') }]);
    await store.close();
  });

  test('a table of another kind is refused', async () => {
    const url = await server.createDatabase();
    await (await connect(url)).query('CREATE TABLE kv (name TEXT)');
    await rejectsWith(() => open(url), 'config', /^database\.postgres\.connection_string: .*"kv" is not partitioned/);
  });

  test('run-time parameters of the connection string reach the session; the table can be named', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    await admin.query('CREATE SCHEMA "my schema"');
    const parameters = { lakefskv_table: 'other', search_path: '"my schema"', pool_max_conns: '3', options: '-c work_mem=1MB' };
    const store = await open(withParameters(url, parameters));
    await store.set('p', key, bytes('v'));
    assert.equal((await admin.query('SELECT * FROM "my schema".other')).rows.length, 1);
    assert.equal((await activity(admin))[0]?.application_name, 'srv');
    await store.close();
    await allClosed(admin);
    const named = await open(withParameters(url, { application_name: 'mine' }));
    assert.equal((await activity(admin))[0]?.application_name, 'mine');
    await named.close();
  });

  test('a connection string of keywords works as a URL does', async () => {
    const { hostname, port, username, password, pathname } = new URL(await server.createDatabase());
    const text = `host=${hostname} port = ${port} user='${username}' password=${password} dbname='${pathname.slice(1)}' sslmode=disable`;
    const store = await open(text);
    await store.set('p', key, bytes('v'));
    await store.close();
    await refusedWithoutSecret(text.replace(password, `'secret-word \\' x'`), 'config', /password authentication failed/);
  });

  test('max_open_connections bounds the connections', async () => {
    const url = await server.createDatabase();
    const store = await open(url, { maxOpenConnections: 3 });
    const admin = await connect(url);
    await Promise.all(Array.from({ length: 50 }, (_, i) => store.set('p', bytes(`k${i}`), key, alone())));
    assert.equal((await activity(admin)).length, 3);
    await store.close();
  });

  test('max_idle_connections stay open when there is nothing to do', async () => {
    const url = await server.createDatabase();
    const store = await open(url, { maxOpenConnections: 8, maxIdleConnections: 2, idleTimeout: 50 });
    const admin = await connect(url);
    await Promise.all(Array.from({ length: 50 }, (_, i) => store.set('p', bytes(`k${i}`), key, alone())));
    while ((await activity(admin)).length > 2);
    await new Promise(resolve => setTimeout(resolve, 100));
    assert.equal((await activity(admin)).length, 2);
    await store.close();
  });

  test('connection_max_lifetime replaces connections; 0 keeps them', async () => {
    const url = await server.createDatabase();
    const admin = await connect(url);
    const store = await open(url, { maxOpenConnections: 1, connectionMaxLifetime: 50 });
    const first = (await activity(admin))[0]?.pid;
    for (let pid = first; pid === first; pid = (await activity(admin))[0]?.pid) await store.get('p', key);
    await store.close();
    await allClosed(admin);
    const kept = await open(url, { maxOpenConnections: 1, connectionMaxLifetime: 0 });
    const pid = (await activity(admin))[0]?.pid;
    await new Promise(resolve => setTimeout(resolve, 100));
    await kept.get('p', key);
    assert.equal((await activity(admin))[0]?.pid, pid);
    await kept.close();
  });

  test('pages of a scan are bounded in bytes, and complete', async () => {
    const store = await open(await server.createDatabase());
    const sizes = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 300_000 : 1000));
    const names = sizes.map((_, i) => bytes(`k${String(i).padStart(3, '0')}`));
    await Promise.all(sizes.map((size, i) => store.set('p', names[i] ?? key, Buffer.alloc(size))));
    const found: Buffer[] = [];
    for await (const page of store.scan('p')) {
      const before = page.slice(0, -1).reduce((sum, { value }) => sum + value.length, 0);
      assert.ok(before < 1 << 20, `${before} bytes before the last entry`);
      found.push(...page.map(entry => entry.key));
    }
    assert.deepEqual(found, names);
    await store.close();
  });

  test('pages double up to 4,000 entries', async () => {
    const store = await open(await server.createDatabase());
    for (let i = 0; i < 9000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, j) => store.set('p', bytes(String(i + j).padStart(5, '0')), key)));
    }
    const sizes: number[] = [];
    for await (const page of store.scan('p', { batchSize: 900 })) sizes.push(page.length);
    assert.deepEqual(sizes, [900, 1800, 3600, 2700]);
    assert.equal((await collect(store.scan('p', { batchSize: 5000 }))).length, 9000);
    await store.close();
  });

  test('no sslmode makes the client warn; a server without TLS is reported', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', listen);
    const folder = await mkdtemp(join(tmpdir(), 'srv-postgres-tls-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, '');
    for (const sslmode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']) {
      await rejectsWith(
        () => open(withParameters(server.url, { sslmode })),
        'config',
        /does not support SSL connections; use sslmode=disable/,
      );
    }
    const compatible = { sslmode: 'require', uselibpqcompat: 'true', sslrootcert: file };
    await rejectsWith(() => open(withParameters(server.url, compatible)), 'config', /does not support SSL/);
    await (await open(withParameters(server.url, { sslmode: 'disable' }))).close();
    await new Promise(resolve => setTimeout(resolve, 10));
    process.off('warning', listen);
    await rm(folder, { recursive: true });
    assert.deepEqual(warnings, []);
  });
});

async function refusedWithoutSecret(connectionString: string, code: 'config' | 'unavailable', message: RegExp): Promise<void> {
  try {
    await (await open(connectionString)).close();
  } catch (error) {
    assert.ok(!inspect(error, { depth: 10 }).includes('secret-word'), 'the password is not shown');
    return rejectsWith(() => Promise.reject(error), code, message);
  }
  assert.fail(`${connectionString} was accepted`);
}
