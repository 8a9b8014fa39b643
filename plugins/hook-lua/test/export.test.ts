/** Tables of a repository exported to Glue and Delta, and read back from what lies outside. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startGlue } from '@srv/test-servers/glue';
import { findPython, runPython } from '@srv/test-servers/python';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { repository, startHookServer } from './hook.js';
import { readDelta, readParquet } from './python.js';
import type { EventRecord } from '@srv/kernel';
import type { GlueServer } from '@srv/test-servers/glue';
import type { HookServer } from './hook.js';

const rowsOf = (amounts: readonly number[]): Buffer =>
  Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'amount', data: [...amounts], type: 'INT32' }] }));

const hiveDescriptor = `
name: orders
type: hive
path: tables/orders
partition_columns: ['year', 'month']
schema:
  type: struct
  fields:
    - { name: amount, type: integer, nullable: true, metadata: {} }
    - { name: note, type: string, nullable: true, metadata: { comment: free text } }
    - { name: year, type: integer, nullable: false, metadata: {} }
    - { name: month, type: string, nullable: false, metadata: {} }
`;

const deltaDescriptor = `
name: sales
type: delta
path: tables/sales
catalog: main_catalog
`;

/** Paths of files of the Delta table, as they are, and how its log writes them. */
const deltaFiles = { 'part 1.parquet': 'part%201.parquet', 'part-2.parquet': 'part-2.parquet', 'gone.parquet': 'gone.parquet' };

const logOf = (...actions: readonly object[]): Buffer => Buffer.from(`${actions.map(action => JSON.stringify(action)).join('\n')}\n`);
const schemaString = JSON.stringify({ type: 'struct', fields: [{ name: 'amount', type: 'integer', nullable: true, metadata: {} }] });

describe('export of tables', () => {
  let srv: HookServer;
  let glue: GlueServer;
  let folder: string;
  let event: Partial<EventRecord>;
  let args: Readonly<Record<string, unknown>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'srv-export-'));
    glue = await startGlue();
    srv = await startHookServer({ plugins: ['gateway-s3'] });
    const engine = srv.kernel.services.get('engine');
    await engine.createRepository({ id: 'exports', storageNamespace: 'local://exports' });
    const put = (path: string, body: string | Buffer) => engine.putObject(repository, 'main', path, Buffer.from(body));
    await put('_lakefs_tables/orders.yaml', hiveDescriptor);
    await put('_lakefs_tables/sales.yaml', deltaDescriptor);
    await put('_lakefs_tables/notes.txt', 'not a descriptor');
    await put('tables/orders/year=2024/month=01/a.parquet', rowsOf([1, 2]));
    await put('tables/orders/year=2024/month=01/b.parquet', rowsOf([3]));
    await put('tables/orders/year=2024/month=02/c.parquet', rowsOf([4]));
    await put('tables/orders/year=2024/month=02/_SUCCESS', '');
    await put('tables/orders/stray.parquet', rowsOf([100]));
    for (const [i, name] of Object.keys(deltaFiles).entries()) await put(`tables/sales/${name}`, rowsOf([10 * (i + 1)]));
    const { length: size } = rowsOf([1]);
    const add = (path: string) => ({ add: { path, partitionValues: {}, size, modificationTime: 1, dataChange: true } });
    const metaData = {
      id: 'b8a7c1a0-0000-4000-8000-000000000000',
      name: 'sales',
      description: 'what was sold',
      format: { provider: 'parquet', options: {} },
      schemaString,
      partitionColumns: [],
      configuration: {},
      createdTime: 1_700_000_000_000,
    };
    await put(
      'tables/sales/_delta_log/00000000000000000000.json',
      logOf({ protocol: { minReaderVersion: 1, minWriterVersion: 2 } }, { metaData }, add('part%201.parquet'), add('gone.parquet')),
    );
    await put(
      'tables/sales/_delta_log/00000000000000000001.json',
      logOf({ remove: { path: 'gone.parquet', deletionTimestamp: 2, dataChange: true } }, add('part-2.parquet')),
    );
    const commit = await engine.commit(repository, 'main', { committer: 'ann', message: 'tables' });
    event = { type: 'post-commit', sourceRef: commit.id, commitId: commit.id };
    const { accessKeyId, secretAccessKey } = srv.key;
    args = { key: accessKeyId, secret: secretAccessKey, endpoint: srv.url, glue: { key: glue.accessKeyId, endpoint: glue.url } };
  });
  after(async () => {
    await srv.stop();
    await glue.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (script: string): Promise<string> => {
    const { output, failure } = await srv.runHook(script, { event, properties: { args } });
    assert.equal(failure, undefined);
    return output;
  };
  const exported = async (path: string): Promise<Buffer> => {
    const engine = srv.kernel.services.get('engine');
    const pieces: Buffer[] = [];
    for await (const piece of await engine.open('exports', await engine.getEntry('exports', 'main', path))) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  const sha = (): string => (event.commitId ?? '').slice(0, 6);
  const block = (): string => join(srv.folder, 'block');
  /** The file of a physical address, as other programs would open it. */
  const fileOf = (address: string): string => address.replace('local://', '');

  it('writes symlinks of a Hive table to S3 and registers it in Glue', async t => {
    const output = await run(`
      local aws = require("aws")
      local symlink = require("lakefs/catalogexport/symlink_exporter")
      local glue_exporter = require("lakefs/catalogexport/glue_exporter")
      local s3 = aws.s3_client(args.key, args.secret, "us-east-1", args.endpoint)
      local base = "s3://exports/main"
      local r = symlink.export_s3(s3, "_lakefs_tables/orders.yaml", action, {debug = true, export_base_uri = base})
      print(r.location.protocol, r.location.bucket, r.location.key)
      local glue = aws.glue_client(args.glue.key, "secret", "us-east-1", args.glue.endpoint)
      local input = {StorageDescriptor = {InputFormat = "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat", SerdeInfo = {Name = "default"}}, Parameters = {EXTERNAL = "TRUE"}}
      local done = glue_exporter.export_glue(glue, "lake_db", "_lakefs_tables/orders.yaml", input, action, {export_base_uri = base, create_db_input = {Name = "lake_db"}})
      local again = pcall(glue_exporter.export_glue, glue, "lake_db", "_lakefs_tables/orders.yaml", input, action, {export_base_uri = base, create_db_input = {Name = "lake_db"}})
      print(done.table_input.Name, again, input.Name)
      local found, there = glue.get_table("lake_db", done.table_input.Name)
      print(there, found.Table.StorageDescriptor.Columns[1].Type, select(2, glue.get_table("lake_db", "none")))`);
    const base = `main/_lakefs/exported/main/${sha()}`;
    const name = `orders_lakes_main_${sha()}`;
    assert.match(output, new RegExp(`s3\\texports\\t${base}/\n`));
    assert.match(output, new RegExp(`\n${name}\tfalse\tnil\ntrue\tint\tfalse\n$`));
    const table = glue.table('lake_db', name);
    assert.deepEqual(table?.['PartitionKeys'], [
      { Name: 'year', Type: 'int' },
      { Name: 'month', Type: 'string' },
    ]);
    const storage = table?.['StorageDescriptor'] as { readonly Columns: unknown; readonly Location: string };
    assert.deepEqual(storage.Columns, [
      { Name: 'amount', Type: 'int' },
      { Name: 'note', Type: 'string' },
    ]);
    assert.equal(storage.Location, `s3://exports/${base}/orders`);
    assert.deepEqual([table?.['TableType'], table?.['Parameters']], ['EXTERNAL_TABLE', { EXTERNAL: 'TRUE' }]);
    const addresses: string[] = [];
    for (const [partition, count] of [
      ['year=2024/month=01', 2],
      ['year=2024/month=02', 1],
    ] as const) {
      const text = (await exported(`_lakefs/exported/main/${sha()}/orders/${partition}/symlink.txt`)).toString();
      const lines = text.split('\n').slice(0, -1);
      assert.equal(lines.length, count);
      assert.ok(lines.every(line => line.startsWith(`local://${block()}/${repository}/`)));
      addresses.push(...lines);
    }
    const python = findPython('pyarrow', 'duckdb');
    if (python === undefined) return t.skip('needs a Python with pyarrow and duckdb (SRV_TEST_PYTHON)');
    await writeFile(join(folder, 'files.json'), JSON.stringify(addresses.map(fileOf)));
    await writeFile(join(folder, 'read.py'), readParquet);
    const read = JSON.parse(await runPython(python, [join(folder, 'read.py'), join(folder, 'files.json')])) as unknown;
    assert.deepEqual(read, { arrow: 4, duck: [4, 10] });
  });

  it('writes the log of a Delta table with addresses of its objects', async t => {
    const output = await run(`
      local aws, formats, json = require("aws"), require("formats"), require("encoding/json")
      local delta = require("lakefs/catalogexport/delta_exporter")
      local s3 = aws.s3_client(args.key, args.secret, "us-east-1", args.endpoint)
      local written = {}
      local function write(bucket, key, data)
        written[#written + 1] = bucket .. " " .. key
        return s3.put_object("exports", "main/" .. key, data)
      end
      local client = formats.delta_client(args.key, args.secret, "us-east-1")
      local details = delta.export_delta_log(action, {"sales"}, write, client, "_lakefs_tables", function(p) return "x-" .. p end)
      print(table.concat(written, "\\n"))
      print(details.sales.path, details.sales.metadata.name, details.sales.metadata.description, details.sales.metadata.created_time > 0)`);
    const base = `_lakefs/exported/main/${sha()}/sales`;
    assert.equal(
      output,
      `lakes ${base}/_delta_log/00000000000000000000.json\nlakes ${base}/_delta_log/00000000000000000001.json\nx-local://lakes/${base}\tsales\twhat was sold\ttrue\n`,
    );
    const engine = srv.kernel.services.get('engine');
    const address = async (name: string) =>
      `local://${block()}/lakes/${(await engine.getEntry(repository, 'main', `tables/sales/${name}`)).address}`;
    const lines = async (version: number) =>
      (await exported(`${base}/_delta_log/${String(version).padStart(20, '0')}.json`))
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Readonly<Record<string, { readonly path?: string }>>);
    const paths = [...(await lines(0)), ...(await lines(1))].flatMap(line => Object.values(line).flatMap(({ path }) => path ?? []));
    assert.deepEqual(paths, [
      `x-${await address('part 1.parquet')}`,
      `x-${await address('gone.parquet')}`,
      `x-${await address('gone.parquet')}`,
      `x-${await address('part-2.parquet')}`,
    ]);
    const python = findPython('pyarrow', 'duckdb', 'deltalake');
    if (python === undefined) return t.skip('needs a Python with pyarrow, duckdb and deltalake (SRV_TEST_PYTHON)');
    const log = join(folder, 'sales', '_delta_log');
    await mkdir(log, { recursive: true });
    for (const version of [0, 1]) {
      const text = (await exported(`${base}/_delta_log/${String(version).padStart(20, '0')}.json`)).toString();
      await writeFile(join(log, `${String(version).padStart(20, '0')}.json`), text.replaceAll('x-local://', 'file://'));
    }
    await writeFile(join(folder, 'delta.py'), readDelta);
    const read = JSON.parse(await runPython(python, [join(folder, 'delta.py'), join(folder, 'sales')])) as {
      readonly version: number;
      readonly columns: readonly string[];
      readonly files: readonly string[];
    };
    assert.deepEqual([read.version, read.columns], [1, ['amount']]);
    await writeFile(join(folder, 'files.json'), JSON.stringify(read.files));
    await writeFile(join(folder, 'read.py'), readParquet);
    assert.deepEqual(JSON.parse(await runPython(python, [join(folder, 'read.py'), join(folder, 'files.json')])), {
      arrow: 2,
      duck: [2, 30],
    });
  });

  it('rejects a log that names missing objects, and unknown credentials', async () => {
    const engine = srv.kernel.services.get('engine');
    await engine.createBranch(repository, 'broken', 'main');
    await engine.deleteObject(repository, 'broken', 'tables/sales/part-2.parquet');
    const { id } = await engine.commit(repository, 'broken', { committer: 'ann', message: 'broken' });
    const script = (key: string) => `
      local delta = require("lakefs/catalogexport/delta_exporter")
      local client = require("formats").delta_client(${key}, args.secret)
      delta.export_delta_log(action, {"sales.yaml"}, error, client, "_lakefs_tables")`;
    const broken = { event: { ...event, branch: 'broken', sourceRef: id, commitId: id }, properties: { args } };
    assert.match((await srv.runHook(script('args.key'), broken)).failure ?? '', /The following objects were not found: part-2.parquet/);
    assert.match((await srv.runHook(script('"AKIANOBODY"'), broken)).failure ?? '', /are not those of a user/);
  });

  it('finds descriptors, partitions and changed tables', async () => {
    const output = await run(`
      local lakefs = require("lakefs")
      local extractor = require("lakefs/catalogexport/table_extractor")
      local hive = require("lakefs/catalogexport/hive")
      local delta = require("lakefs/catalogexport/delta_exporter")
      local internal = require("lakefs/catalogexport/internal")
      for _, e in ipairs(extractor.list_table_descriptor_entries(lakefs, "lakes", action.commit_id)) do print(e.path) end
      for size = 1, 3 do
        local seen = {}
        for p, entries in hive.extract_partition_pager(lakefs, "lakes", "main", "tables/orders", {"year", "month"}, size) do
          seen[#seen + 1] = p .. "=" .. #entries
        end
        print(table.concat(seen, " "))
      end
      for p, entries in hive.extract_partition_pager(lakefs, "lakes", "main", "tables/orders/", {}) do print(p == "", #entries, entries[1].size > 0) end
      for p, entries in hive.extract_partition_pager(lakefs, "lakes", "main", "tables/none", {"year"}) do print(p == "", #entries) end
      print(table.concat(delta.changed_table_defs({"sales", "orders"}, "_lakefs_tables", "lakes", "broken", "main"), " "))
      print(pcall(extractor.get_table_descriptor, lakefs, "lakes", "main", "_lakefs_tables/none.yaml"))
      print(internal.short_digest("abcdefgh"), internal.ref_from_branch_or_tag({event_type = "post-create-tag", tag_id = "v1", branch_id = ""}))
      print(internal.get_storage_uri_prefix("s3://b/ns", "0123456789", action))`);
    const lines = output.split('\n');
    const partitions = 'tables/orders/year=2024/month=01/=2 tables/orders/year=2024/month=02/=1';
    assert.deepEqual(lines.slice(0, 9), [
      '_lakefs_tables/orders.yaml',
      '_lakefs_tables/sales.yaml',
      partitions,
      partitions,
      partitions,
      'true\t4\ttrue',
      'true\t0',
      'sales',
      lines[8],
    ]);
    assert.match(lines[8] ?? '', /^false\t.*could not fetch data file: HTTP 404 path: _lakefs_tables\/none.yaml$/);
    assert.deepEqual(lines.slice(9), ['abcdef\tv1', 's3://b/ns/_lakefs/exported/main/012345/', '']);
  });

  it('exports no table of another kind, nor one whose partition column is unknown', async () => {
    const engine = srv.kernel.services.get('engine');
    await engine.putObject(repository, 'main', '_lakefs_tables/bad.yaml', Buffer.from(hiveDescriptor.replace("'month']", "'day']")));
    const { id } = await engine.commit(repository, 'main', { committer: 'ann', message: 'bad' });
    const failureOf = async (table: string): Promise<string> => {
      const script = `require("lakefs/catalogexport/glue_exporter").export_glue({create_table = error}, "db", "_lakefs_tables/${table}.yaml", {}, action)`;
      return (await srv.runHook(script, { event: { ...event, commitId: id }, properties: { args } })).failure ?? '';
    };
    assert.match(await failureOf('sales'), /table delta in path _lakefs_tables\/sales.yaml not supported/);
    assert.match(await failureOf('bad'), /partition column `day` is not in the schema/);
  });

  it('registers Delta tables in a Unity catalog', async () => {
    const output = await run(`
      local unity = require("lakefs/catalogexport/unity_exporter")
      local calls = {}
      local client = {
        create_schema = function(schema, catalog, get) calls[#calls + 1] = schema .. " " .. catalog .. " " .. tostring(get) return schema end,
        register_external_table = function(name, location, warehouse, engine, schema, metadata)
          calls[#calls + 1] = table.concat({name, location, warehouse, engine, schema, metadata.description}, " ")
          return "SUCCEEDED"
        end,
      }
      local statuses = unity.register_tables(action, "_lakefs_tables", {sales = {path = "s3://b/sales", metadata = {description = "d"}}}, client, "wh")
      print(statuses.sales, calls[1], calls[2])
      print(pcall(unity.register_tables, action, "_lakefs_tables", {orders = {path = "x"}}, client, "wh"))`);
    assert.match(
      output,
      /^SUCCEEDED\tmain main_catalog true\tsales s3:\/\/b\/sales wh main_catalog main d\nfalse\t.*supports only table descriptors of type `delta`, not `hive`/,
    );
  });

  it('moves deletion vectors with the table', async () => {
    const engine = srv.kernel.services.get('engine');
    await engine.createBranch(repository, 'vectors', 'main');
    const uuid = '864fd26f-b559-f75b-864f-d26fb559f75b';
    await engine.putObject(repository, 'vectors', `tables/sales/ab/deletion_vector_${uuid}.bin`, Buffer.from('v'));
    const vector = (storageType: string, pathOrInlineDv: string) => ({
      add: { path: 'part-2.parquet', deletionVector: { storageType, pathOrInlineDv, offset: 1, sizeInBytes: 4, cardinality: 1 } },
    });
    const log = logOf(vector('u', 'abHelloWorldHelloWorld'), vector('i', 'inline'), vector('p', 'tables/none.bin'));
    await engine.putObject(repository, 'vectors', 'tables/sales/_delta_log/00000000000000000002.json', log);
    const { id } = await engine.commit(repository, 'vectors', { committer: 'ann', message: 'vectors' });
    const script = `
      local json = require("encoding/json")
      local client = require("formats").delta_client(args.key, args.secret)
      local function write(_, key, data)
        if key:find("00002.json") then
          for line in data:gmatch("[^\\n]+") do local v = json.unmarshal(line).add.deletionVector print(v.storageType, v.pathOrInlineDv) end
        end
      end
      require("lakefs/catalogexport/delta_exporter").export_delta_log(action, {"sales"}, write, client, "_lakefs_tables")`;
    const { output, failure } = await srv.runHook(script, { event: { ...event, branch: 'vectors', commitId: id }, properties: { args } });
    assert.equal(failure, undefined);
    const { address } = await engine.getEntry(repository, id, `tables/sales/ab/deletion_vector_${uuid}.bin`);
    assert.equal(output, `p\tlocal://${block()}/lakes/${address}\ni\tinline\np\ttables/none.bin\n`);
  });

  it('reads a table whose first commits were cleaned away from its checkpoint', async () => {
    const engine = srv.kernel.services.get('engine');
    await engine.createBranch(repository, 'checkpoint', 'main');
    const checkpoint = parquetWriteBuffer({
      columnData: [
        { name: 'add', data: [{ path: 'part-2.parquet', size: 1n }, null] as unknown[], type: 'JSON' },
        { name: 'metaData', data: [null, { id: 'x', name: 'from checkpoint' }] as unknown[], type: 'JSON' },
      ],
    });
    const folderOfLog = 'tables/sales/_delta_log';
    await engine.putObject(repository, 'checkpoint', `${folderOfLog}/00000000000000000001.checkpoint.parquet`, Buffer.from(checkpoint));
    await engine.deleteObject(repository, 'checkpoint', `${folderOfLog}/00000000000000000000.json`);
    await engine.putObject(
      repository,
      'checkpoint',
      `${folderOfLog}/00000000000000000002.json`,
      logOf({ remove: { path: 'part-2.parquet' } }),
    );
    const output = await run(`
      local log, metadata = require("formats").delta_client(args.key, args.secret).get_table("lakes", "checkpoint", "tables/sales/")
      print(log[0], #log[1], log[1][1], log[2][1], metadata.name)`);
    assert.equal(output, 'nil\t2\t{"add":{"path":"part-2.parquet","size":1}}\t{"remove":{"path":"part-2.parquet"}}\tfrom checkpoint\n');
  });
});
