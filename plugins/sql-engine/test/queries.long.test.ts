/** Queries on a whole server, with the engine: tables, objects, formats, rights, limits. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { seededRandom, until } from '@srv/kernel/testing';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { openTable } from '@srv/lib-records/tables/open-table';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openServer, refused, repository } from './support.js';
import type {} from '@srv/lib-records/tables/system-tables';

it('the tables of metadata and of the journal have the documented columns, and the rows of each commit', async t => {
  const { engine, rows, run } = await openServer(t);
  const metadata = { label: 'cat', 'a "b"': 'ü\n' };
  await engine.putObject(repository, 'main', 'a/1.png', Buffer.from('12345'), { contentType: 'image/png', metadata });
  await engine.putObject(repository, 'main', 'b\n"\'.txt', Buffer.from('123'));
  const first = await engine.commit(repository, 'main', { committer: 'ann', message: 'both' });
  await engine.deleteObject(repository, 'main', 'b\n"\'.txt');
  await engine.putObject(repository, 'main', 'a/1.png', Buffer.from('1234567'), { contentType: 'image/png', metadata });
  const second = await engine.commit(repository, 'main', { committer: 'bob', message: 'less' });
  const { lastModified, checksum } = await engine
    .getEntry(repository, 'main', 'a/1.png')
    .then(entry => ({ ...entry, checksum: entry.etag }));

  assert.deepEqual(
    await rows('DESCRIBE SELECT * FROM lakes.main.system.object_metadata').then(all =>
      all.map(row => [row['column_name'], row['column_type']]),
    ),
    [
      ['repository', 'VARCHAR'],
      ['path', 'VARCHAR'],
      ['commit_id', 'VARCHAR'],
      ['size', 'BIGINT'],
      ['last_modified', 'TIMESTAMP'],
      ['etag', 'VARCHAR'],
      ['user_metadata', 'MAP(VARCHAR, VARCHAR)'],
      ['committer', 'VARCHAR'],
      ['content_type', 'VARCHAR'],
    ],
  );
  const found = await buffer(await run('SELECT * FROM lakes.main.system.object_metadata', 'parquet'));
  const [row, ...others] = await parquetReadObjects({ file: new Uint8Array(found).buffer, compressors });
  assert.deepEqual(others, []);
  assert.deepEqual(row, {
    repository,
    path: 'a/1.png',
    commit_id: second.id,
    size: 7n,
    last_modified: lastModified,
    etag: checksum,
    user_metadata: metadata,
    committer: 'bob',
    content_type: 'image/png',
  });
  // A tag, a commit, both tables in one query, and names in any case.
  await engine.createTag(repository, 'v1', first.id);
  const both = `SELECT old.path, old.size - new.size AS grown FROM "lakes"."v1".SYSTEM.object_metadata old
    LEFT JOIN lakes."${second.id}".system.Object_Metadata new USING (path) ORDER BY path`;
  assert.deepEqual(await rows(both), [
    { path: 'a/1.png', grown: -2 },
    { path: 'b\n"\'.txt', grown: null },
  ]);
  assert.deepEqual(await rows("SELECT object_metadata.path FROM lakes.v1.system.object_metadata WHERE user_metadata['label'] = 'cat'"), [
    { path: 'a/1.png' },
  ]);
  const journal = await rows('SELECT * EXCLUDE (time, etag_before, etag_after) FROM lakes.main.system.object_journal ORDER BY time, path');
  const change = (
    commit: typeof first,
    committer: string,
    path: string,
    operation: string,
    before: number | null,
    after: number | null,
  ) => ({
    repository,
    commit_id: commit.id,
    committer,
    path,
    operation,
    size_before: before,
    size_after: after,
  });
  assert.deepEqual(journal, [
    change(first, 'ann', 'a/1.png', 'added', null, 5),
    change(first, 'ann', 'b\n"\'.txt', 'added', null, 3),
    change(second, 'bob', 'a/1.png', 'changed', 5, 7),
    change(second, 'bob', 'b\n"\'.txt', 'removed', 3, null),
  ]);
});

it('sums over the table of metadata are those of the listing, at random commits', async t => {
  const { engine, rows } = await openServer(t);
  const random = seededRandom();
  for (let commit = 0; commit < 4; commit++) {
    for (let i = 0; i < 20; i++) {
      const path = `${'abc'.charAt(random.below(3))}/${random.below(15)}`;
      if (random.below(4) === 0) await engine.deleteObject(repository, 'main', path);
      else await engine.putObject(repository, 'main', path, Buffer.alloc(random.below(1000)));
    }
    await engine.commit(repository, 'main', { committer: 'ann', message: 'some', allowEmpty: true });
    const { results } = await engine.list(repository, 'main', { amount: 1000 });
    const expected = new Map<string, { objects: number; bytes: number }>();
    for (const { path, ...item } of results) {
      if (!('entry' in item)) continue;
      const folder = path.slice(0, 1);
      const { objects, bytes } = expected.get(folder) ?? { objects: 0, bytes: 0 };
      expected.set(folder, { objects: objects + 1, bytes: bytes + item.entry.size });
    }
    const sums = `SELECT split_part(path, '/', 1) AS folder, count(*) AS objects, sum(size)::BIGINT AS bytes
      FROM lakes.main.system.object_metadata GROUP BY ALL ORDER BY folder`;
    assert.deepEqual(
      await rows(sums),
      [...expected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([folder, sum]) => ({ folder, ...sum })),
      `seed ${random.seed}`,
    );
  }
});

it('a large table of a commit is made once, and of the next commit again', async t => {
  const { engine, rows, services, folder } = await openServer(t);
  const tables = services.get('systemTables');
  let read = 0;
  for (const table of Object.values(tables)) {
    const open = table.open.bind(table);
    table.open = async (...request) => {
      const found = await open(...request);
      const counted = (signal?: AbortSignal) => {
        read++;
        return found.rows(signal);
      };
      return { ...found, rows: counted };
    };
  }
  const paths = Array.from({ length: 1100 }, (_, i) => `${'x'.repeat(950)}/${i}`);
  for (const path of paths) await engine.putObject(repository, 'main', path, Buffer.alloc(1), { metadata: { path: path.slice(-3) } });
  await engine.commit(repository, 'main', { committer: 'ann', message: 'long names' });
  const all = 'SELECT * FROM lakes.main.system.object_metadata ORDER BY path';
  const [first, second] = [await rows(all), await rows(all)];
  assert.deepEqual(second, first);
  assert.equal(first.length, 1100);
  assert.equal(read, 1);
  await rows('SELECT count(*) FROM lakes.main.system.object_journal');
  assert.equal(read, 2);
  await engine.deleteObject(repository, 'main', paths[0] ?? '');
  await engine.commit(repository, 'main', { committer: 'ann', message: 'one less' });
  assert.equal((await rows(all)).length, 1099);
  assert.equal(read, 3);
  await until(async () => (await readdir(folder)).every(name => /^srv-sql-.*-tables[0-9a-f]+$/.test(name)));
});

it('a branch is shown with what is not committed where the query asks for it, again at every query', async t => {
  const { engine, put, rows } = await openServer(t);
  await put('main', 'a', '1');
  await put('main', 'b', '1');
  await engine.commit(repository, 'main', { committer: 'ann', message: 'two' });
  await engine.createTag(repository, 'v1', 'main');
  await put('main', 'b', '22');
  await put('main', 'c', '333');
  await engine.deleteObject(repository, 'main', 'a');
  const found = (ref: string, uncommitted: boolean) =>
    rows(`SELECT path, size, committer FROM lakes.${ref}.system.object_metadata ORDER BY path`, { uncommitted });
  const committed = ['a', 'b'].map(path => ({ path, size: 1, committer: 'ann' }));
  assert.deepEqual(await found('main', false), committed);
  assert.deepEqual(await found('main', true), [
    { path: 'b', size: 2, committer: null },
    { path: 'c', size: 3, committer: null },
  ]);
  await engine.deleteObject(repository, 'main', 'c');
  assert.deepEqual(await found('main', true), [{ path: 'b', size: 2, committer: null }]);
  assert.deepEqual(await found('v1', true), committed, 'a tag has nothing else');
  assert.deepEqual(
    (await rows('SELECT path FROM lakes.main.system.object_journal ORDER BY path', { uncommitted: true })).map(({ path }) => path),
    ['a', 'b'],
    'the journal is about commits',
  );
});

it('objects are tables: Parquet, CSV, JSON, compressed ones, several by a pattern, at any ref', async t => {
  const { engine, put, rows } = await openServer(t);
  const parquet = parquetWriteBuffer({ columnData: [{ name: 'id', data: [1, 2], type: 'INT32' }] });
  await put('main', 't/a.parquet', new Uint8Array(parquet));
  await put('main', 't/b.csv', 'id\n3\n');
  await put('main', 't/c.jsonl', '{"id":4}\n{"id":5}\n');
  await put('main', 't/d.json', '[{"id":6}]');
  await put('main', 't/e.csv.gz', new Uint8Array(gzipSync('id\n7\n')));
  await put('main', 't/no-ending', 'id|x\n8|y\n');
  const { id } = await engine.commit(repository, 'main', { committer: 'ann', message: 'tables' });
  await put('main', 't/b.csv', 'id\n30\n');
  const ids = async (from: string): Promise<unknown[]> => (await rows(`SELECT id FROM ${from} ORDER BY id`)).map(row => row['id']);
  for (const [from, expected] of [
    ["'srv://lakes/main/t/a.parquet'", [1, 2]],
    ["'lakefs://lakes/main/t/b.csv'", [30]],
    [`"srv://lakes/${id}/t/b.csv"`, [3]],
    ["'srv://lakes/main/t/c.jsonl'", [4, 5]],
    ["'srv://lakes/main/t/d.json'", [6]],
    ["'srv://lakes/main/t/e.csv.gz'", [7]],
    ["read_csv('srv://lakes/main/t/no-ending', delim = '|')", [8]],
    ["'srv://lakes/main/t/*.csv'", [30]],
    [
      "(FROM 'srv://lakes/main/t/a.parquet' UNION ALL FROM 'srv://lakes/main/**/c.jsonl' UNION ALL FROM 'srv://lakes/main/t/a.parquet')",
      [1, 1, 2, 2, 4, 5],
    ],
  ] as const)
    assert.deepEqual(await ids(from), expected, from);
  for (const word of ['DESCRIBE', 'summarize'])
    assert.deepEqual(
      (await rows(`${word} 'srv://lakes/main/t/b.csv'`)).map(row => [row['column_name'], row['column_type']]),
      [['id', 'BIGINT']],
    );
  // What stands where no table stands is a text.
  assert.deepEqual(await rows("SELECT 'srv://lakes/main/t/a.parquet' AS x"), [{ x: 'srv://lakes/main/t/a.parquet' }]);
  for (const [from, status, message] of [
    ["'srv://lakes/main/t/nowhere.csv'", 404, /./],
    ["'srv://lakes/nowhere/t/a.parquet'", 404, /./],
    ["'srv://nowhere/main/t/a.parquet'", 404, /./],
    ["'srv://lakes/main/t/*.txt'", 404, /no object matches srv:\/\/lakes\/main\/t\/\*\.txt/],
    [
      "'srv://lakes/main/t/no-ending'",
      400,
      /does not show its format: write read_parquet\('srv:\/\/lakes\/main\/t\/no-ending'\) or read_csv_auto/,
    ],
    ["'https://example.com/a.csv'", 400, /https:\/\/example\.com\/a\.csv is not in this server/],
    ["read_parquet('srv://lakes/main/t/b.csv')", 400, /srv:\/\/lakes\/main\/t\/b\.csv/],
    ['lakes.main.system.nothing', 400, /there is no table system\.nothing; there are system\.object_metadata and system\.object_journal/],
    ['lakes.nowhere.system.object_metadata', 404, /./],
    ['nowhere.main.system.object_metadata', 404, /./],
  ] as const)
    await assert.rejects(ids(from), refused(status, message), from);
  await engine.createRepository({ id: 'hidden', storageNamespace: 'local://hidden' });
  await assert.rejects(ids('hidden.main.system.object_metadata'), refused(400, /search enable srv:\/\/hidden main/));
});

it('objects are tables wherever a table can stand', async t => {
  const { rows, put } = await openServer(t);
  await put('main', 'd/x.csv', 'a,s\n1,p\n5,q\n');
  const a = "'srv://lakes/main/d/x.csv'";
  for (const [sql, expected] of [
    [`SELECT count(*) AS n FROM ${a} a JOIN ${a} b ON a.a = b.a, ${a} c`, 4],
    [`SELECT count(*) AS n FROM ${a} a JOIN ${a} b USING (a), ${a} c`, 4],
    [`SELECT count(*) AS n FROM (${a} a JOIN ${a} b USING (a)), ${a} c`, 4],
    [`WITH t AS MATERIALIZED (FROM ${a}) SELECT count(*) AS n FROM t`, 2],
    [`WITH t AS NOT MATERIALIZED (FROM ${a}) SELECT count(*) AS n FROM t`, 2],
    [`SELECT count(*) AS n FROM ((FROM ${a} LIMIT 1) UNION ALL (FROM ${a} LIMIT 1))`, 2],
    [`SELECT 1 AS n WHERE 5 = ANY (FROM ${a} SELECT a)`, 1],
    [`SELECT len(array(FROM ${a} SELECT a LIMIT 2)) AS n`, 2],
    [`FROM range(2) r, LATERAL (FROM ${a} WHERE a = r.range) x SELECT count(*) AS n`, 1],
    [`SELECT CASE WHEN (FROM ${a} SELECT count(*)) > 1 THEN 1 ELSE (FROM ${a} SELECT count(*)) END AS n`, 1],
    [`SELECT count(*) AS n FROM (TABLE ${a})`, 2],
    [`SELECT n FROM (DESCRIBE ${a}) d, (SELECT count(*) AS n FROM ${a}) LIMIT 1`, 2],
  ] as const)
    assert.deepEqual(await rows(sql), [{ n: expected }], sql);
  assert.deepEqual(await rows(`TABLE ${a} LIMIT 1`), [{ a: 1, s: 'p' }]);
  assert.deepEqual(await rows("SELECT trim(FROM ' srv://lakes/main/d/x.csv ') AS x"), [{ x: 'srv://lakes/main/d/x.csv' }]);
  await assert.rejects(
    rows("FROM query_table('srv://lakes/main/d/x.csv')"),
    refused(
      400,
      /^srv:\/\/lakes\/main\/d\/x\.csv was not recognized as a table where it stands: write read_csv_auto\('srv:\/\/lakes\/main\/d\/x\.csv'\) there$/,
    ),
  );
});

it('errors show texts and addresses of the query as they are', async t => {
  const { rows, put } = await openServer(t);
  await put('main', 'd/x.csv', 'a,s\n1,p\n');
  await put('main', 'd/x.json', '{"a": ');
  for (const [sql, message] of [
    ["SELECT 'in/side main/x Failed to extract statements: '::INT", /string 'in\/side main\/x Failed to extract statements: ' to INT32/],
    ['SELEC 1', /^Parser Error: /],
    ["FROM read_parquet('srv://lakes/main/d/x.csv')", /"?srv:\/\/lakes\/main\/d\/x\.csv/],
    ["FROM 'srv://lakes/main/d/x.json'", /"?srv:\/\/lakes\/main\/d\/x\.json/],
  ] as const)
    await assert.rejects(
      rows(sql),
      (error: unknown) => {
        assert.ok(error instanceof Error);
        assert.doesNotMatch(error.message, /srv-file|srv-sql/);
        return refused(400, message)(error);
      },
      sql,
    );
});

it('numbers that JSON does not have are absent from it at any depth, and texts in its lines', async t => {
  const { run } = await openServer(t);
  const odd = `'nan'::DOUBLE AS a, 2.5::DOUBLE AS a, '-inf'::FLOAT AS "A", 0.1::FLOAT AS short, [1.5, 'inf'::DOUBLE, NULL] AS list,
    array_value('nan'::FLOAT, -0.0::FLOAT) AS pair, map {'k': [{'x "y"': 'nan'::DOUBLE, 'z': 1}, NULL]} AS nested, row('inf'::DOUBLE, 'b') AS plain,
    NULL::DOUBLE[] AS none, [union_value(u := 'nan'::DOUBLE)::UNION(u DOUBLE, t VARCHAR), union_value(t := 'x')] AS either, 12345678901234567890123456789.01::DECIMAL(38, 2) AS wide, 1.10::DECIMAL(4, 2) AS price`;
  assert.deepEqual(JSON.parse(await text(await run(`SELECT ${odd}`, 'json'))), [
    {
      a: null,
      a_1: 2.5,
      A_2: null,
      short: Math.fround(0.1),
      list: [1.5, null, null],
      pair: [null, -0],
      nested: { k: [{ 'x "y"': null, z: 1 }, null] },
      plain: { '': 'b' },
      none: null,
      either: [{ u: null }, { t: 'x' }],
      wide: Number('12345678901234567890123456789.01'),
      price: 1.1,
    },
  ]);
  assert.equal(
    await text(await run(`SELECT ${odd}`, 'lines')),
    '{"a":"nan","a_1":2.5,"A_2":"-inf","short":0.1,"list":[1.5,"inf",null],"pair":["nan",-0.0],' +
      '"nested":{"k":[{"x \\"y\\"":"nan","z":1},null]},"plain":{"":"inf","":"b"},"none":null,' +
      '"either":[{"u":"nan"},{"t":"x"}],"wide":"12345678901234567890123456789.01","price":1.1}\n',
  );
});

it('results are Parquet, JSON, CSV, or lines of exact texts', async t => {
  const { client, run } = await openServer(t);
  const sql = `SELECT 9007199254740993 AS big, 'nan'::DOUBLE AS odd, 1.10::DECIMAL(5, 2) AS price, NULL AS nothing, '' AS empty, 'a,"b"' AS quoted`;
  const results = await Promise.all((['json', 'csv', 'text'] as const).map(async format => text(await run(sql, format))));
  assert.deepEqual(results, [
    '[\n\t{"big":9007199254740993,"odd":null,"price":1.1,"nothing":null,"empty":"","quoted":"a,\\"b\\""}\n]\n',
    'big,odd,price,nothing,empty,quoted\n9007199254740993,nan,1.10,,"","a,""b"""\n',
    '{"big":"9007199254740993","odd":"nan","price":"1.10","nothing":null,"empty":"","quoted":"a,\\"b\\""}\n',
  ]);
  // Without a format, as clients of others ask.
  const { headers, body } = await client.runMDSQuery({ body: { sql: 'SELECT 1 AS a WHERE false' } });
  assert.equal(headers['content-type'], 'application/vnd.apache.parquet');
  assert.deepEqual(await parquetReadObjects({ file: new Uint8Array(await buffer(body)).buffer, compressors }), []);
  assert.equal(await text(await run('FROM range(10) LIMIT 0', 'json')), '[\n\t\n]\n');
  assert.equal(await text(await run('SELECT i FROM range(10) t(i) ORDER BY i DESC', 'csv', { limit: 2 })), 'i\n9\n8\n');
});

it('integers of 128 bits and intervals are exact in Parquet at any depth, whatever the rows are', async t => {
  const { run } = await openServer(t);
  const big = '9007199254740993';
  const wide = '12345678901234567890123456789012345678';
  const sql = `SELECT sum(x) AS total, -${wide}::HUGEINT AS wide, NULL::HUGEINT AS none, [${big}::HUGEINT, NULL] AS list,
    {'a b': ${big}::HUGEINT, t: 'x'} AS nested, map {${big}::HUGEINT: [${wide}::HUGEINT]} AS keys, map {1: ${big}::HUGEINT} AS vals, NULL::MAP(HUGEINT, HUGEINT) AS no_map,
    union_value(u := ${wide}::HUGEINT)::UNION(u HUGEINT, t VARCHAR) AS either, ${2n ** 128n - 1n}::UHUGEINT AS widest,
    INTERVAL '1.234567 seconds' AS took, sum(x)::BIGINT AS small FROM (VALUES (${big})) t(x)`;
  const table = await openTable('parquet', memorySource(await buffer(await run(sql, 'parquet'))));
  const [cells = []] = await table.cells(0, 1, [...table.columns.keys()]);
  assert.deepEqual(
    table.columns.map(({ name, type }, i) => [name, type, cells[i]]),
    [
      ['total', 'decimal', big],
      ['wide', 'decimal', `-${wide}`],
      ['none', 'decimal', null],
      ['list', 'list<decimal>', `[${big},null]`],
      ['nested', 'struct', `{"a b":${big},"t":"x"}`],
      ['keys', 'map', `{"${big}":[${wide}]}`],
      ['vals', 'map', `{"1":${big}}`],
      ['no_map', 'map', null],
      ['either', 'json', `{"u":${wide}}`],
      ['widest', 'utf8', String(2n ** 128n - 1n)],
      ['took', 'utf8', '00:00:01.234567'],
      ['small', 'int_64', big],
    ],
  );
  const longest = 2n ** 127n - 1n;
  const problem = new RegExp(`Parquet cannot hold the integer ${longest}, which has more than 38 digits: CAST it to VARCHAR`);
  for (const value of [`${longest}::HUGEINT`, `[${longest}::HUGEINT]`])
    await assert.rejects(run(`SELECT ${value} AS x`, 'parquet'), refused(400, problem));
  // Other formats hold them.
  assert.equal(await text(await run(`SELECT ${longest}::HUGEINT AS x`, 'csv')), `x\n${longest}\n`);
});

it('a query reads what its author may list and read, and nothing else', async t => {
  const { engine, put, services, clientOf } = await openServer(t);
  await put('main', 'a/1.csv', 'id\n1\n');
  await put('main', 'b/2.csv', 'id\n2\n');
  await engine.commit(repository, 'main', { committer: 'ann', message: 'both' });
  const auth = services.get('auth');
  await auth.createUser({ username: 'tester' });
  const tester = clientOf(await auth.createCredential('tester'));
  const lakes = 'arn:lakefs:fs:::repository/lakes';
  await auth.createPolicy('exact', [{ effect: 'allow', action: ['fs:ReadConfig'], resource: '*' }]);
  await auth.attachToUser('tester', 'exact');
  const queries = {
    one: "FROM 'srv://lakes/main/a/1.csv'",
    other: "FROM 'srv://lakes/main/b/2.csv'",
    pattern: "FROM 'srv://lakes/main/*/*.csv'",
    metadata: 'FROM lakes.main.system.object_metadata',
    journal: 'FROM lakes.main.system.object_journal',
    nothing: 'SELECT 1',
  };
  const allow = (resource: string, ...action: string[]) => ({ effect: 'allow' as const, action, resource });
  for (const [statements, expected] of [
    [[allow('*', 'fs:ReadConfig')], ['nothing']],
    [[allow(`${lakes}/object/a/*`, 'fs:ReadObject')], ['one', 'nothing']],
    [
      [allow(lakes, 'fs:ListObjects'), allow(`${lakes}/object/a/*`, 'fs:ReadObject')],
      ['one', 'nothing'],
    ],
    [
      [allow(lakes, 'fs:ListObjects'), allow(`${lakes}/object/*`, 'fs:ReadObject')],
      ['one', 'other', 'pattern', 'nothing'],
    ],
    [[allow(lakes, 'fs:ListObjects', 'fs:ReadRepository')], ['metadata', 'nothing']],
    [[allow(lakes, 'fs:ListObjects', 'fs:ReadRepository', 'fs:ListCommits')], ['metadata', 'journal', 'nothing']],
    [[allow(lakes, 'fs:ReadRepository', 'fs:ListCommits')], ['nothing']],
  ] as const) {
    await auth.updatePolicy(
      'exact',
      statements.map(one => ({ ...one, action: [...one.action] })),
    );
    const found: string[] = [];
    for (const [name, sql] of Object.entries(queries))
      await tester.runMDSQuery({ body: { sql } }).then(
        ({ body }) => {
          body.resume();
          found.push(name);
        },
        (error: unknown) =>
          assert.ok(refused(401, /not allowed to \S+ on arn:lakefs:fs:::repository\/lakes/)(error), `${name}: ${String(error)}`),
      );
    assert.deepEqual(found, expected, JSON.stringify(statements));
  }
});

it('rows, disk and time have limits, the queue, too; nothing is left of a query', async t => {
  const { client, put, rows, folder } = await openServer(t, {
    'sql_engine.max_rows': 10,
    'sql_engine.disk_bytes': 1_048_576,
    'sql_engine.timeout': '2s',
    'sql_engine.concurrency': 1,
  });
  await put('main', 'big.csv', `a\n${'x'.repeat(1_100_000)}\n`);
  assert.equal((await rows('FROM range(10)')).length, 10);
  await assert.rejects(rows('FROM range(11)'), refused(400, /more than 10 rows \(sql_engine\.max_rows\); add LIMIT/));
  assert.equal((await rows('FROM range(11)', { limit: 10 })).length, 10);
  assert.equal((await rows('FROM range(10)', { limit: 1_000_000_000 })).length, 10);
  await assert.rejects(
    rows('FROM range(11)', { limit: 12 }),
    refused(400, /more than 10 rows \(sql_engine\.max_rows\); add LIMIT, or lower limit, which is 12/),
  );
  await assert.rejects(rows("FROM 'srv://lakes/main/big.csv'"), refused(400, /more than 1048576 bytes \(sql_engine\.disk_bytes\)/));
  const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3';
  await assert.rejects(rows(endless), refused(504, /longer than 2000 ms \(sql_engine\.timeout\)/));
  // One runs, eight wait, and the tenth is refused at once.
  const leaving = new AbortController();
  const ten = Array.from({ length: 10 }, () => client.runMDSQuery({ body: { sql: endless } }, { signal: leaving.signal }));
  const outcomes = Promise.allSettled(ten);
  await assert.rejects(Promise.race(ten), refused(429, /too many queries wait \(sql_engine\.concurrency\)/));
  leaving.abort();
  await outcomes;
  await until(async () => (await readdir(folder)).length === 0);
  assert.deepEqual(await rows('SELECT 42 AS answer'), [{ answer: 42 }]);
  await until(async () => (await readdir(folder)).length === 0);
});

it('the files of a query have a limit while it runs', async t => {
  const { run, folder } = await openServer(t, { 'sql_engine.disk_bytes': 1_048_576 });
  await assert.rejects(run("SELECT repeat('x', 1000) FROM range(10000000)", 'csv'), refused(400, /more than 1048576 bytes of disk/));
  await until(async () => (await readdir(folder)).length === 0);
});

it('queries outlive a temporary folder that cannot be made or removed', async t => {
  const { rows, folder, services } = await openServer(t, { 'sql_engine.concurrency': 1 });
  await rename(folder, `${folder}-away`);
  await assert.rejects(rows('SELECT 1 AS one'), refused(500, /./));
  await rename(`${folder}-away`, folder);
  const decide = async () => ({ allowed: true });
  const { body } = await services.get('sqlEngine').query({ sql: 'SELECT 1 AS one', format: 'json', decide });
  await once(body, 'readable');
  await rename(folder, `${folder}-away`);
  // Below a file nothing can be removed.
  await writeFile(folder, '');
  body.destroy();
  await once(body, 'close');
  await rm(folder);
  await rename(`${folder}-away`, folder);
  assert.deepEqual(await rows('SELECT 1 AS one'), [{ one: 1 }]);
});

it('queries are counted, and the server says that it runs them', async t => {
  const { rows, url, key, kernel } = await openServer(t);
  await rows('FROM range(3)');
  await assert.rejects(rows('SELECT nothing'), refused(400, /nothing/));
  const page = await (await fetch(`${url}/metrics`)).text();
  assert.match(page, /sql_query_duration_seconds_count\{outcome="success"\} 1\n/);
  assert.match(page, /sql_query_duration_seconds_count\{outcome="refused"\} 1\n/);
  assert.match(page, /sql_query_rows_total 3\n/);
  const authorization = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
  const config = (await (await fetch(`${url}/api/v1/config`, { headers: { authorization } })).json()) as {
    capabilities_config: { iceberg_query?: boolean };
  };
  assert.equal(config.capabilities_config.iceberg_query, true);
  assert.equal(kernel.services.get('sqlEngine').missing(), undefined);
});
