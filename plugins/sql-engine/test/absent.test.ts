/** What needs no engine: what a query names, the command, and a server without the engine. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { fakeContext } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { sql } from '../src/cli/sql.js';
import operations from '../src/operations.js';
import { referencesOf } from '../src/server/references.js';

it('without the engine the operation says what to install, and the rest works', async t => {
  const folder = scratchFolder();
  const { url, key, stop } = await startSrv({ plugins: ['sql-engine'], config: { 'sql_engine.installed_in': folder } });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  await assert.rejects(
    client.runMDSQuery({ body: { sql: 'SELECT 1' } }),
    (error: unknown) =>
      error instanceof ApiError && error.status === 501 && /npm install @duckdb\/node-api@1\.5\.6-r\.1/.test(error.message),
  );
  const authorization = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
  const config = (await (await fetch(`${url}/api/v1/config`, { headers: { authorization } })).json()) as { capabilities_config: object };
  assert.equal('iceberg_query' in config.capabilities_config, false);
});

describe('references of a query', () => {
  const named = (query: string) => {
    const { files, tables } = referencesOf(query);
    return [
      ...files.map(({ role, text }) => `${role} ${text}`),
      ...tables.map(({ repository, ref, name }) => `${repository} ${ref} ${name}`),
    ];
  };

  it('are addresses where tables stand, and names of four parts', () => {
    for (const [query, expected] of [
      ['select 1', []],
      ["from 'lakefs://a/b/c.csv', read_json('srv://a/b/d')", ['table srv://a/b/c.csv', 'read srv://a/b/d']],
      ["select 'srv://a/b/c.csv'", []],
      ['from zoo.Main.System.Object_Metadata m', ['zoo Main object_metadata']],
      ['from "my-repo"."feature/x".system.object_journal', ['my-repo feature/x object_journal']],
      ['select zoo.main.system.t.path from zoo . main /* */ . system.t', ['zoo main t', 'zoo main t']],
      ['from a.zoo.main.system.t', []],
      ['from main.system.t, "a.b.system.t"', []],
      ["select 'zoo.main.system.t' -- zoo.main.system.t", []],
    ] as const)
      assert.deepEqual(named(query), expected, query);
  });

  it('are those of one query, and nothing else is accepted', () => {
    for (const [query, message] of [
      ['', /empty/],
      [' -- nothing', /empty/],
      ['select 1; select 2', /one query/],
      ["copy t to 'srv://a/b/c.csv'", /queries only read/],
      ["from 'srv://a'", /write srv:\/\/repository\/ref\/path/],
      ["from 's3://a/b'", /s3:\/\/a\/b is not in this server/],
      ["attach 'srv://a/b/c.db'", /ATTACH cannot open/],
    ] as const)
      assert.throws(() => referencesOf(query), message, query);
  });
});

describe('cli sql', () => {
  const answering = (body: string) =>
    fakeContext({ runMDSQuery: () => ({ status: 200, headers: {}, body: Readable.from([Buffer.from(body)]) }) });
  const run = async ({ context }: ReturnType<typeof fakeContext>, options: Readonly<Record<string, string | number>> = {}) => {
    const input = { args: ['select'], options };
    const data = await sql.run(context, input);
    return Array.isArray(data) ? sql.render?.(data as never, context, input) : data;
  };

  it('shows exact values in the order of the query, and no character that moves the cursor', async () => {
    const fake = answering(
      '{"big":9007199254740993,"price":1.0000000000000001,"2":-0.0,"1":1.0,"text":"a\\tb\\u001b[0m\u2028\u009b\u007f","list":[1.10,null,{"a":"b"}],"none":null}\n',
    );
    assert.equal(
      await run(fake),
      '9007199254740993\t1.0000000000000001\t-0.0\t1.0\ta\\tb\\u001b[0m\u2028\\u009b\\u007f\t[1.10,null,{"a":"b"}]\tnull',
    );
    assert.deepEqual(fake.calls, [['runMDSQuery', { body: { sql: 'select', format: 'lines', limit: 1001 } }]]);
    assert.equal(await run(answering('')), '');
  });

  it('gives programs values of their types', async () => {
    const { context } = answering('{"size":5,"big":9007199254740993,"done":true,"tags":{"a":[1.5]},"none":null}\n');
    const rows = await sql.run(context, { args: ['select'], options: {} });
    assert.deepEqual(rows, [{ size: 5, big: '9007199254740993', done: true, tags: { a: [1.5] }, none: null }]);
  });

  it('says when it does not show all rows', async () => {
    const fake = answering('{"a":1}\n{"a":2}\n{"a":3}\n');
    assert.equal(await run(fake, { limit: 2 }), '1\n2');
    assert.match(fake.told.join('\n'), /more than 2 rows/);
  });

  it('passes files through as they are', async () => {
    const fake = answering('PAR1');
    const body = (await run(fake, { output: 'parquet', limit: 5 })) as Readable;
    assert.equal(String(await body.toArray()), 'PAR1');
    assert.deepEqual(fake.calls, [['runMDSQuery', { body: { sql: 'select', format: 'parquet', limit: 5 } }]]);
  });
});
