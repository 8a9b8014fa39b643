/** Queries that try to break out, or to exhaust the server: each is refused or ends at its limit, and the next one is answered. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { scratchFolder, until } from '@srv/kernel/testing';
import { ApiError } from '@srv/lib-api/client';
import { openServer } from './support.js';
import type { AddressInfo } from 'node:net';

const secret = 'a secret that no query may show';
const outside = scratchFolder();
const secretFile = join(outside, 'secret.csv');
const victim = join(outside, 'victim');
const readers = [
  'read_text',
  'read_blob',
  'read_csv',
  'read_csv_auto',
  'read_json',
  'read_json_objects',
  'read_ndjson',
  'read_parquet',
  'read_duckdb',
  'glob',
  'sniff_csv',
  'parquet_metadata',
  'parquet_schema',
  'parquet_kv_metadata',
];

/** Of a query: `short` for those that would not end, `long` for all whose outcome must not depend on how busy the machine is. */
type TimeLimit = 'short' | 'long';

describe('hostile queries', () => {
  let connections = 0;
  const web = createServer((_, response) => response.end(secret));
  const held: { after: (() => unknown)[]; servers?: Record<TimeLimit, Awaited<ReturnType<typeof openServer>>>; port: number } = {
    after: [],
    port: 0,
  };

  before(async () => {
    writeFileSync(secretFile, `a\n${secret}\n`);
    process.env['SRV_TEST_SECRET'] = secret;
    web.on('connection', () => connections++);
    await new Promise<void>(resolve => web.listen(0, '127.0.0.1', () => resolve()));
    held.port = (web.address() as AddressInfo).port;
    const limits = { memory_bytes: 134_217_728, disk_bytes: 67_108_864, max_rows: 100_000 };
    const open = (timeout: string) =>
      openServer(
        { after: end => held.after.push(end as () => unknown) },
        Object.fromEntries(Object.entries({ ...limits, timeout }).map(([name, value]) => [`sql_engine.${name}`, value])),
      );
    held.servers = { short: await open('1500ms'), long: await open('10m') };
    await held.servers.long.put('main', 'a.csv', 'id\n1\n');
  });
  after(async () => {
    for (const end of held.after.reverse()) await end();
    web.close();
    delete process.env['SRV_TEST_SECRET'];
  });

  const server = (limit: TimeLimit) => held.servers?.[limit] ?? assert.fail('the servers did not start');
  let asked = 0;

  /** @returns the result, or the status and message of the refusal. */
  async function outcomeOf(sql: string, limit: TimeLimit): Promise<{ readonly status: number; readonly said: string }> {
    asked++;
    try {
      const said = await text(await server(limit).run(sql, 'csv'));
      return { status: 200, said };
    } catch (error) {
      assert.ok(error instanceof ApiError, `${sql.slice(0, 200)}: ${String(error)}`);
      return { status: error.status, said: error.message };
    }
  }

  /** Two at a time, as the server runs them. */
  async function each(
    queries: readonly string[],
    check: (outcome: { status: number; said: string }, sql: string) => void,
    limit: TimeLimit = 'long',
  ): Promise<void> {
    const rest = [...queries];
    const work = async (): Promise<void> => {
      for (let sql = rest.shift(); sql !== undefined; sql = rest.shift()) {
        const outcome = await outcomeOf(sql, limit);
        assert.ok(!outcome.said.includes(secret), `shows the secret: ${sql}`);
        check(outcome, sql);
      }
    };
    await Promise.all([work(), work()]);
    await answers(limit);
    await until(() => readdirSync(server(limit).folder).length === 0);
    await until(() => enginesRunning() === 0);
    assert.equal(connections, 0, 'a query reached the network');
    assert.equal(existsSync(victim), false, 'a query wrote a file');
    assert.equal(readFileSync(secretFile, 'utf8'), `a\n${secret}\n`);
  }

  /** The next query is answered; on a busy machine it may take more than one try within a short limit. */
  async function answers(limit: TimeLimit): Promise<void> {
    await until(async () => {
      try {
        assert.deepEqual(await server(limit).rows('SELECT 42 AS answer'), [{ answer: 42 }]);
        return true;
      } catch (error) {
        if (limit === 'short' && error instanceof ApiError && error.status === 504) return false;
        throw error;
      }
    });
  }

  const refused = ({ status, said }: { status: number; said: string }, sql: string): void =>
    assert.ok(status === 400 || status === 404, `${sql.slice(0, 200)}: ${status} ${said.slice(0, 300)}`);
  /** A fault of the query or its limits, never one of the server. */
  const exceeding = ({ status, said }: { status: number; said: string }, sql: string): void =>
    assert.ok([400, 503].includes(status), `${sql.slice(0, 200)}: ${status} ${said.slice(0, 300)}`);
  /** Of those that would not end, some exceed their memory first. */
  const limited = ({ status, said }: { status: number; said: string }, sql: string): void =>
    assert.ok([400, 503, 504].includes(status), `${sql.slice(0, 200)}: ${status} ${said.slice(0, 300)}`);
  const survived = ({ status, said }: { status: number; said: string }, sql: string): void =>
    assert.ok([200, 400, 503, 504].includes(status), `${sql.slice(0, 200)}: ${status} ${said.slice(0, 300)}`);

  it('read no file of the server, by any function', async () => {
    const place = (name: string): string => `'${name}'`;
    const secretPlace = place(secretFile);
    const others = [
      place('/proc/self/environ'),
      `'in/../../../..' || ${place(secretFile)}`,
      `'file:' || '//' || ${place(secretFile)}`,
      place(`${outside}/*`),
      `[${place(secretFile)}]`,
    ];
    // What a function opens does not depend on how the place was named: every function, and every place by several of them.
    const pairs = [
      ...readers.map(reader => [reader, secretPlace] as const),
      ...others.flatMap((target, i) => readers.filter((_, j) => j % 4 === i % 4).map(reader => [reader, target] as const)),
    ];
    await each(
      pairs.map(([reader, target]) => `SELECT * FROM ${reader}(${target})`),
      refused,
    );
  });

  it('read no file through names, nested queries and variables', async () => {
    await each(
      [
        `SELECT * FROM '${secretFile}'`,
        `SELECT * FROM "${secretFile}"`,
        `FROM '../../../../../../../../../../..${secretFile}'`,
        `FROM 'in/../../../../../../../../../../..${secretFile}'`,
        `SELECT * FROM query('SELECT * FROM ''${secretFile}''')`,
        `SELECT * FROM query_table('${secretFile}')`,
        `SELECT * FROM query_table(['${secretFile}'])`,
        `SELECT (SELECT content FROM read_text('${secretFile}'))`,
        `WITH x AS (SELECT * FROM read_text('${secretFile}')) SELECT * FROM x`,
        `SELECT * FROM range(1), LATERAL (SELECT * FROM read_text('${secretFile}'))`,
        `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''${secretFile}'')'))`,
        `SELECT * FROM read_csv('srv://lakes/main/a.csv', rejects_table = 'r', store_rejects = true), read_text('${secretFile}')`,
        `SELECT * FROM read_csv(['srv://lakes/main/a.csv', '${secretFile}'])`,
        `SELECT * FROM read_csv('srv://lakes/main/../../${secretFile}')`,
        `SELECT * FROM parquet_scan('${secretFile}', encryption_config = {footer_key: 'x'})`,
        `DESCRIBE SELECT * FROM read_csv('${secretFile}')`,
        `SUMMARIZE '${secretFile}'`,
        `SELECT getvariable('x') FROM read_text(getvariable('x'))`,
        "SELECT getenv('SRV_TEST_SECRET')",
        `SELECT * FROM which_secret('${secretFile}', 's3')`,
        "SELECT * FROM pragma_storage_info('x')",
        "FROM sqlite_scan('x', 'y')",
        "FROM sqlite_master WHERE sql = 'srv://lakes/main/a.csv' AND nothing",
        "SELECT * FROM postgres_scan('host=127.0.0.1', 'a', 'b')",
        `FROM st_read('${secretFile}')`,
        `FROM read_xlsx('${secretFile}')`,
        `FROM delta_scan('${secretFile}')`,
        `FROM iceberg_scan('${outside}')`,
        `FROM 'srv://lakes/main/${secretFile}'`,
        "FROM 'srv://lakes/main/../../../etc/passwd'",
        "FROM 'srv://../../etc/passwd'",
      ],
      refused,
    );
  });

  it('write nothing, and change no setting', async () => {
    await each(
      [
        `COPY (SELECT 1) TO '${victim}'`,
        `COPY (SELECT 1) TO '${victim}' (FORMAT parquet)`,
        "COPY (SELECT 1) TO 'srv://lakes/main/b.csv'",
        "COPY (SELECT 1) TO 'out/other'",
        `SELECT * FROM query('COPY (SELECT 1) TO ''${victim}''')`,
        `EXPORT DATABASE '${victim}'`,
        `IMPORT DATABASE '${outside}'`,
        `ATTACH '${victim}'`,
        `ATTACH '${victim}' AS x (TYPE duckdb)`,
        "ATTACH ':memory:' AS x",
        "ATTACH 'host=127.0.0.1' AS x (TYPE postgres)",
        'DETACH memory',
        'USE memory',
        'CREATE TABLE t (a INT)',
        'CREATE TABLE t AS SELECT 1',
        'CREATE TEMP TABLE t AS SELECT 1',
        'CREATE VIEW v AS SELECT 1',
        'CREATE MACRO m() AS 1',
        'CREATE SEQUENCE s',
        "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "CREATE TYPE mood AS ENUM ('a')",
        'CREATE SCHEMA s',
        'DROP SCHEMA srv_0 CASCADE',
        'DROP SCHEMA main CASCADE',
        'INSERT INTO t VALUES (1)',
        'UPDATE t SET a = 1',
        'DELETE FROM t',
        'TRUNCATE t',
        'ALTER TABLE t ADD COLUMN b INT',
        'VACUUM',
        'ANALYZE',
        'CHECKPOINT',
        'FORCE CHECKPOINT',
        'BEGIN',
        'COMMIT',
        'ROLLBACK',
        'PREPARE p AS SELECT 1',
        'EXECUTE p',
        'DEALLOCATE p',
        'EXPLAIN SELECT 1',
        `EXPLAIN ANALYZE SELECT * FROM read_text('${secretFile}')`,
        'SET threads = 64',
        "SET memory_limit = '100GB'",
        'SET enable_external_access = true',
        'SET lock_configuration = false',
        `SET allowed_directories = ['/']`,
        `SET temp_directory = '${outside}'`,
        `SET home_directory = '${outside}'`,
        `SET extension_directory = '${outside}'`,
        `SET log_query_path = '${victim}'`,
        "SET custom_extension_repository = 'http://127.0.0.1'",
        'RESET enable_external_access',
        'SET VARIABLE x = 1',
        'PRAGMA version',
        'PRAGMA database_list',
        "PRAGMA memory_limit = '100GB'",
        'PRAGMA enable_profiling',
        `PRAGMA profiling_output = '${victim}'`,
        `PRAGMA import_database('${outside}')`,
        'CALL pragma_version()',
        `CALL enable_logging(storage = 'file', storage_path = '${victim}')`,
        'CALL force_checkpoint()',
        'LOAD httpfs',
        'LOAD json',
        `LOAD '${victim}'`,
        'INSTALL httpfs',
        'INSTALL spatial FROM community',
        `INSTALL httpfs FROM 'http://127.0.0.1:1'`,
        'FORCE INSTALL httpfs',
        'UPDATE EXTENSIONS',
        "COMMENT ON TABLE t IS 'x'",
        'SELECT 1; SELECT 2',
        `SELECT 1; COPY (SELECT 1) TO '${victim}'`,
        `SELECT 1) TO '${victim}' --`,
        `SELECT 1') LIMIT 1) TO '${victim}' --`,
        `SELECT 1\n) TO '${victim}' (FORMAT csv); --`,
        'WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x',
        'SELECT $1',
        'SELECT ?',
        '',
        ';',
        '--',
        'SELECT',
        "SELECT '",
        '\u0000',
        'SELECT \u0000 1',
        '\ud800',
      ],
      refused,
    );
  });

  it('reach no network and load no extension', async () => {
    const url = `127.0.0.1:${held.port}/a.csv`;
    await each(
      [
        ...['http', 'https', 's3', 'gs', 'gcs', 'r2', 'az', 'abfss', 'hf', 'azure'].map(
          scheme => `FROM read_csv('${scheme}' || '://${url}')`,
        ),
        `FROM 'http://${url}'`,
        `FROM read_text('http://${url}')`,
        `FROM read_parquet(['http://${url}'])`,
        `FROM query('FROM ''http://${url}''')`,
        `SELECT * FROM read_json('HTTP://${url}')`,
        `FROM glob('http' || '://${url}')`,
        `FROM read_csv('//${url}')`,
        `FROM http_get('http' || '://${url}')`,
        `FROM postgres_query('host=127.0.0.1 port=${held.port}', 'SELECT 1')`,
        `FROM mysql_scan('host=127.0.0.1 port=${held.port}', 'a', 'b')`,
      ],
      refused,
    );
  });

  it('show no secret through what the engine says of itself', async () => {
    await each(
      [
        ...[
          'settings',
          'secrets',
          'extensions',
          'databases',
          'functions',
          'logs',
          'log_contexts',
          'memory',
          'temporary_files',
          'variables',
          'views',
        ].map(name => `FROM duckdb_${name}()`),
        'SHOW ALL TABLES',
        'SHOW TABLES',
        'SHOW DATABASES',
        "SELECT current_setting('temp_directory'), current_setting('allowed_directories'), current_setting('secret_directory')",
        "SELECT current_setting('s3_secret_access_key')",
        'FROM pg_catalog.pg_settings',
        'FROM information_schema.tables',
        "FROM enable_logging(storage = 'memory')",
        'FROM enable_profiling()',
        `FROM enable_logging(storage = 'file', storage_path = '${victim}')`,
        `FROM enable_logging(storage = 'file', storage_path = 'in/log')`,
        `FROM enable_profiling(save_location := '${victim}')`,
        "FROM read_text('in/*'), read_text('out/*')",
        "SELECT * FROM sql_auto_complete('SELECT * FROM ''/')",
        "SELECT write_log('x', level := 'error')",
        'FROM duckdb_external_file_cache()',
        'FROM pragma_database_size()',
        'FROM test_all_types()',
        'FROM checkpoint()',
        'FROM force_checkpoint()',
      ],
      survived,
    );
  });

  it('take no pointers, and survive odd functions and deep nesting', async () => {
    const deep = (open: string, close: string, times: number): string => `SELECT ${open.repeat(times)}1${close.repeat(times)}`;
    await each(
      [
        'FROM arrow_scan(1, 2, 3)',
        'FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)',
        "FROM arrow_scan('1'::POINTER, '2'::POINTER, '3'::POINTER)",
        'FROM arrow_scan_dumb(1::UBIGINT::POINTER, 1::UBIGINT::POINTER, 1::UBIGINT::POINTER)',
        'FROM arrow_scan(NULL, NULL, NULL)',
        'FROM arrow_scan(NULL::POINTER, NULL::POINTER, NULL::POINTER)',
        'FROM seq_scan()',
        'FROM seq_scan(1)',
        deep('(', ')', 30_000),
        deep('[', ']', 30_000),
        deep('abs(', ')', 10_000),
        deep('(SELECT ', ')', 8_000),
        deep('- ', '', 40_000),
        deep('NOT ', '', 20_000),
        deep('CASE WHEN true THEN ', ' END', 2_500),
        deep('{a: ', '}', 10_000),
        `SELECT ${'1+'.repeat(40_000)}1`,
        `SELECT ${'1 AND '.repeat(15_000)}1`,
        `SELECT 1 ${'UNION ALL SELECT 1 '.repeat(5_000)}`,
        `SELECT * FROM ${Array.from({ length: 5_000 }, (_, i) => `(SELECT 1) t${i}`).join(', ')}`,
        `WITH ${Array.from({ length: 2_000 }, (_, i) => `x${i + 1} AS (SELECT * FROM x${i})`).join(', ')} SELECT * FROM x2000`,
        `SELECT ${Array.from({ length: 20_000 }, (_, i) => `${i}`).join(',')}`,
        `SELECT json('${'['.repeat(90_000)}')`,
        `SELECT '${'{"a":'.repeat(15_000)}'::JSON`,
        `SELECT '${'['.repeat(90_000)}'::INT[]`,
        `SELECT regexp_matches(repeat('a', 100000), '${'(a*)*'.repeat(1_000)}b')`,
        `SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' SIMILAR TO '(a|aa)+b'`,
        `SELECT 'x' LIKE '${'%_'.repeat(40_000)}'`,
        "SELECT printf('%s%s%s%n', 1)",
        "SELECT format('{:999999999}', 1)",
        "SELECT printf('%999999999d', 1)",
        "SELECT strftime(now(), repeat('%Y', 10000000))",
        'SELECT 1::DECIMAL(38, 0) * 99999999999999999999999999999999999999',
        "SELECT '1 century'::INTERVAL * 9223372036854775807",
        'SELECT make_timestamp(9223372036854775807)',
        'SELECT list_value(1)[-9223372036854775808]',
        "SELECT substring('x', -9223372036854775808, 9223372036854775807)",
        "SELECT bitstring('1', 2000000000)",
        "SELECT error(repeat('x', 100000000))",
        "SELECT decode(repeat('\\xff', 100)::BLOB)",
        `SELECT "${'x'.repeat(90_000)}"`,
        'FROM test_vector_types(NULL::INT, all_flat := false)',
        'SELECT json_deserialize_sql(\'{"statements": [{"node": {"type": "SELECT_NODE"}}]}\')',
        'FROM json_execute_serialized_sql(\'{"error": false, "statements": [{"node": {}}]}\')',
      ],
      survived,
      'short',
    );
  });

  it('end at the limits of memory, disk and rows', async () => {
    await each(
      [
        'SELECT * FROM range(1000000000000)',
        'SELECT sum(a.range * b.range) FROM range(100000000) a, range(100000000) b',
        'WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x) SELECT * FROM x',
        'WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT a.i + b.i FROM x a, x b) SELECT count(*) FROM x',
        "WITH RECURSIVE x(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM x) SELECT length(s) FROM x",
        "SELECT repeat('x', 4000000000)",
        "SELECT repeat(repeat('x', 100000), 100000)",
        "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
        'SELECT list(range) FROM range(1000000000)',
        "SELECT array_agg(a) FROM (SELECT repeat('y', 1000) || range AS a FROM range(100000000))",
        'SELECT range(10000000000)',
        'SELECT unnest(range(10000000000))',
        'SELECT unnest(generate_series(1, 10000000000))',
        'SELECT count(DISTINCT md5(range::VARCHAR)) FROM range(1000000000)',
        'SELECT md5(range::VARCHAR) AS h FROM range(1000000000) ORDER BY h LIMIT 1000000',
        "SELECT i, repeat('x', 10000) FROM range(1000000) t(i) ORDER BY hash(i)",
        'SELECT a, count(*) FROM (SELECT hash(range) AS a FROM range(1000000000)) GROUP BY a',
        'SELECT DISTINCT hash(a.range, b.range) FROM range(100000) a, range(100000) b',
        'SELECT row_number() OVER (ORDER BY hash(range)) FROM range(1000000000)',
        'SELECT sum(range) OVER (ORDER BY range ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM range(100000000)',
        'SELECT * FROM range(100001)',
        "SELECT repeat('x', 1000000) FROM range(10000)",
        'SELECT map_from_entries(list((range, range))) FROM range(100000000)',
        "SELECT json_group_array(repeat('x', 1000)) FROM range(100000000)",
        'SELECT approx_quantile(a.range, 0.5), quantile_cont(b.range, 0.5) FROM range(100000) a, range(100000) b',
        'SELECT list_sort(list(hash(range))) FROM range(1000000000)',
        "SELECT regexp_replace(repeat('ab', 100000000), 'a', 'xxxxxxxxxxxxxxxx', 'g')",
        "SELECT replace(repeat('a', 100000000), 'a', repeat('b', 1000))",
        "SELECT length(array_to_string(list_transform(range(100000000), x -> repeat('z', 1000)), ''))",
        'SELECT list_reduce(range(1000000000), (x, y) -> x + y)',
        'SELECT factorial(20), sum(gamma(a.range)) FROM range(1000000) a, range(1000000) b',
        "SELECT count(*) FROM (SELECT unnest(string_split(repeat('a,', 500000000), ',')))",
      ],
      exceeding,
    );
  });

  it('end at the limit of time', async () => {
    await each(
      [
        'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3',
        'WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x) SELECT count(*) FROM x',
        'SELECT sleep_ms(600000)',
        'SELECT pg_sleep(600)',
        'SELECT sleep_ms(1000) FROM range(100)',
        'SELECT histogram(hash(range)) FROM range(1000000000)',
        "SELECT lpad('x', 2000000000, 'y')",
        'SELECT [x + y for x in range(1000000)] FROM range(1000000) t(y)',
        'SELECT count(*) FROM range(1000000) a ASOF JOIN range(1000000) b ON a.range >= b.range, range(1000000)',
        'SELECT count(*) FROM range(1000000) a JOIN range(1000000) b ON levenshtein(a.range::VARCHAR, b.range::VARCHAR) < 2',
      ],
      limited,
      'short',
    );
  });

  it('are about two hundred', () => assert.ok(asked >= 200, `${asked} queries`));
});

/** Processes of queries that this one has started; Linux only. */
function enginesRunning(): number {
  if (!existsSync('/proc')) return 0;
  const own = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const isEngine = (pid: string): boolean => {
    try {
      const isChild = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid);
      return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sql-engine/dist/src/engine/worker');
    } catch {
      return false;
    }
  };
  return own.filter(isEngine).length;
}
