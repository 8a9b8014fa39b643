/** SQL over tables, compared with what PyIceberg and DuckDB's own reader of Iceberg see. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { installedIn } from '@srv/test-servers/packages';
import { endScripts, isMissing, script } from './support/python.js';
import { addUser, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const missing = isMissing('pyiceberg', 'pyarrow', 'duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

let server: CatalogServer;
before(async () => {
  server = await startCatalog({ 'sql_engine.installed_in': installedIn('@duckdb/node-api') }, ['sql-engine']);
});
after(async () => {
  await endScripts();
  await server.stop();
});

async function query(sql: string, token?: string): Promise<unknown> {
  const options = { body: { sql, format: 'json' }, ...(token === undefined ? {} : { token }) };
  const { status, body } = await server.call('POST', '/api/v1/mds/query', options);
  return status === 200 ? JSON.parse(body) : { status, message: (JSON.parse(body) as { message: string }).message };
}

describe('SQL over tables of the catalog', { skip: missing }, () => {
  test('reads every type as PyIceberg does, after columns were renamed, dropped and added, on any ref', async () => {
    await script(
      server,
      `
import pyarrow as pa, datetime as dt, decimal, uuid
cat = catalog()
cat.create_namespace('lake.main.sales')
rows = pa.table({
  'id': pa.array([1, 2], pa.int64()), 'small': pa.array([1, None], pa.int32()), 'name': ['a', 'ü'], 'flag': [True, False],
  'price': pa.array([decimal.Decimal('12345678901234567890.12'), None], pa.decimal128(38, 2)), 'real': pa.array([0.5, 1.5], pa.float32()),
  'day': [dt.date(2020, 2, 29), None], 'at': pa.array([dt.datetime(2020, 1, 1, 1, 2, 3, 456789), None], pa.timestamp('us')),
  'utc': pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc), None], pa.timestamp('us', 'UTC')),
  'time': pa.array([dt.time(1, 2, 3, 4), None], pa.time64('us')), 'bytes': [b'\\x00\\xff', None],
  'tags': [['x', 'y'], []], 'place': [{'x': 1, 'y': 'q'}, None], 'counts': pa.array([[('k', 1)], None], pa.map_(pa.string(), pa.int64())),
})
table = cat.create_table('lake.main.sales.types', schema=rows.schema)
table.append(rows)
print('null')`,
    );
    const { engine } = server;
    await engine.commit('lake', 'main', { message: 'types', committer: 'test' });
    await engine.createTag('lake', 'v1', 'main');
    const expected = await script(
      server,
      `
import pyarrow as pa
table = catalog().load_table('lake.main.sales.types')
with table.update_schema() as update:
  update.rename_column('name', 'title'); update.delete_column('flag')
  from pyiceberg.types import LongType
  update.add_column('pages', LongType())
table.append(pa.table({'id': pa.array([3], pa.int64()), 'title': ['c'], 'pages': pa.array([30], pa.int64())}))
found = table.scan().to_arrow().sort_by('id')
print(json.dumps([{k: str(row[k]) for k in ('id', 'title', 'pages', 'price', 'real', 'day', 'at')} for row in found.to_pylist()]))`,
    );
    const text = (column: string): string => `coalesce(CAST("${column}" AS VARCHAR), 'None') AS "${column}"`;
    assert.deepEqual(
      await query(
        `SELECT ${['id', 'title', 'pages', 'price', 'real', 'day', 'at'].map(text).join(', ')} FROM lake.main.sales.types t ORDER BY t.id`,
      ),
      expected,
    );
    assert.deepEqual(
      await query(
        `SELECT flag, small, name, hex(bytes) AS bytes, utc::VARCHAR AS utc, time::VARCHAR AS time, tags, place, counts
         FROM "lake"."v1"."sales"."types" AS t ORDER BY t.id`,
      ),
      [
        {
          flag: true,
          small: 1,
          name: 'a',
          bytes: '00FF',
          utc: '2020-01-01 00:00:00+00',
          time: '01:02:03.000004',
          tags: ['x', 'y'],
          place: { x: 1, y: 'q' },
          counts: { k: 1 },
        },
        { flag: false, small: null, name: 'ü', bytes: null, utc: null, time: null, tags: [], place: null, counts: null },
      ],
    );
    assert.deepEqual(await query('SELECT count(*) AS n FROM lake.main.sales.types a JOIN lake.v1.sales.types b ON a.id = b.id'), [
      { n: 2 },
    ]);
  });

  for (const version of [2, 3])
    test(`leaves out rows that DuckDB has deleted in a table of format version ${version}`, async () => {
      const expected = await script(
        server,
        `
con = duck('main')
con.execute("CREATE TABLE lake.sales.v${version} (id BIGINT, name VARCHAR) WITH ('format-version' = '${version}')")
con.execute("INSERT INTO lake.sales.v${version} SELECT i, 'n' || i FROM range(5000) t(i)")
con.execute("INSERT INTO lake.sales.v${version} SELECT i, 'n' || i FROM range(5000, 5010) t(i)")
con.execute("DELETE FROM lake.sales.v${version} WHERE id % 3 = 0 OR id BETWEEN 100 AND 900")
con.execute("UPDATE lake.sales.v${version} SET name = 'other' WHERE id = 5005")
print(json.dumps([list(row) for row in con.execute("SELECT id, name FROM lake.sales.v${version} ORDER BY id").fetchall()]))`,
      );
      const found = (await query(`SELECT id, name FROM lake.main.sales.v${version} ORDER BY id`)) as { id: number; name: string }[];
      assert.deepEqual(
        found.map(({ id, name }) => [id, name]),
        expected,
      );
      const deletions = (await script(
        server,
        `
table = catalog().load_table('lake.main.sales.v${version}')
print(json.dumps([str(entry.data_file.file_format.name) for manifest in table.current_snapshot().manifests(table.io)
                  if manifest.content.name == 'DELETES' for entry in manifest.fetch_manifest_entry(table.io)]))`,
      )) as string[];
      assert.ok(deletions.includes(version === 2 ? 'PARQUET' : 'PUFFIN'), `rows are deleted beside the data: ${deletions.join()}`);
    });

  test('leaves out rows that are equal to deleted ones, where they are older than the deletion', async () => {
    await script(
      server,
      `
import pyarrow as pa, pyarrow.parquet as pq
from pyiceberg.manifest import *
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate
from pyiceberg.typedef import Record
table = catalog().create_table('lake.main.sales.equal', schema=pa.schema([('id', pa.int64()), ('kind', pa.string()), ('n', pa.int64())]))
row = lambda i, kind: {'id': i, 'kind': kind, 'n': i * 10}
table.append(pa.Table.from_pylist([row(1, 'a'), row(2, None), row(3, 'b'), row(4, 'a')], schema=table.schema().as_arrow()))
path, snapshot_id, sequence = table.location() + '/data/equal.parquet', 4711, table.metadata.last_sequence_number + 1
field = lambda name, type, id: pa.field(name, type, metadata={b'PARQUET:field_id': str(id).encode()})
deleted = pa.table({'kind': [None, 'a'], 'id': [2, 4]}, schema=pa.schema([field('kind', pa.string(), 2), field('id', pa.int64(), 1)]))
with table.io.new_output(path).create() as to: pq.write_table(deleted, to)
class Deletions(ManifestWriterV2):
  def content(self): return ManifestContent.DELETES
  @property
  def _meta(self): return {**super()._meta, 'content': 'deletes'}
file = DataFile.from_args(content=DataFileContent.EQUALITY_DELETES, file_path=path, file_format=FileFormat.PARQUET, partition=Record(), record_count=2,
                          file_size_in_bytes=len(table.io.new_input(path)), equality_ids=[2, 1], spec_id=0)
output = table.io.new_output(table.location() + '/metadata/equal-m0.avro')
with Deletions(table.spec(), table.schema(), output, snapshot_id, 'deflate') as writer:
  writer.add_entry(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=snapshot_id, sequence_number=None, file_sequence_number=None, data_file=file))
manifests = [*table.current_snapshot().manifests(table.io), writer.to_manifest_file()]
lists = table.location() + '/metadata/snap-equal.avro'
with write_manifest_list(2, table.io.new_output(lists), snapshot_id, table.current_snapshot().snapshot_id, sequence, 'deflate') as writer: writer.add_manifests(manifests)
snapshot = Snapshot(snapshot_id=snapshot_id, parent_snapshot_id=table.current_snapshot().snapshot_id, sequence_number=sequence, timestamp_ms=table.metadata.last_updated_ms + 1,
                    manifest_list=lists, summary=Summary(Operation.DELETE), schema_id=0)
table._do_commit((AddSnapshotUpdate(snapshot=snapshot), SetSnapshotRefUpdate(ref_name='main', type='branch', snapshot_id=snapshot_id)), ())
table = catalog().load_table('lake.main.sales.equal')
table.append(pa.Table.from_pylist([row(2, None)], schema=table.schema().as_arrow()))
with table.update_schema() as update: update.delete_column('kind')
print('null')`,
    );
    const rows = [1, 2, 3].map(id => ({ id, n: id * 10 }));
    assert.deepEqual(await query('FROM lake.main.sales.equal ORDER BY id'), rows);
    // The engine's own reader agrees.
    const own = await script(
      server,
      `print(json.dumps([list(row) for row in duck('main').execute('SELECT id, n FROM lake.sales.equal ORDER BY id').fetchall()]))`,
    );
    assert.deepEqual(
      own,
      rows.map(({ id, n }) => [id, n]),
    );
  });

  test('reads no files of other tables', async () => {
    await script(
      server,
      `
import pyarrow as pa
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate
other = catalog().load_table('lake.main.sales.types')
table = catalog().create_table('lake.main.sales.theirs', schema=pa.schema([('id', pa.int64())]))
# A list of the table itself, which names manifests of the other one.
copied = table.location() + '/metadata/copied.avro'
with other.io.new_input(other.current_snapshot().manifest_list).open() as source, table.io.new_output(copied).create() as target:
  target.write(source.read())
snapshot = Snapshot(snapshot_id=5, sequence_number=1, timestamp_ms=table.metadata.last_updated_ms + 1, manifest_list=copied,
                    summary=Summary(Operation.APPEND), schema_id=0)
table._do_commit((AddSnapshotUpdate(snapshot=snapshot), SetSnapshotRefUpdate(ref_name='main', type='branch', snapshot_id=5)), ())
print('null')`,
    );
    const { status, message } = (await query('FROM lake.main.sales.theirs')) as { status: number; message: string };
    assert.deepEqual([status, /lies outside of the table/.test(message)], [401, true]);
  });

  test('refuses a column of which a file has no field any more', async () => {
    await script(
      server,
      `
import pyarrow as pa
from pyiceberg.types import StringType
cat = catalog()
rows = pa.table({'id': pa.array([1], pa.int64()), 'place': [{'x': 1}]})
table = cat.create_table('lake.main.sales.places', schema=rows.schema)
table.append(rows)
with table.update_schema() as update:
  update.add_column(('place', 'y'), StringType())
with table.update_schema() as update:
  update.delete_column(('place', 'x'))
print('null')`,
    );
    const { status, message } = (await query('FROM lake.main.sales.places')) as { status: number; message: string };
    assert.deepEqual([status, /none of the fields that one of its columns has now.*; write the rows/.test(message)], [400, true]);
    assert.deepEqual(await query('SELECT id FROM lake.main.sales.places'), [{ id: 1 }]);
  });

  test('says what is missing, and asks for the right to read the table', async () => {
    assert.deepEqual(await query('FROM lake.main.sales.none'), {
      status: 404,
      message: 'there is no table sales.none on srv://lake/main',
    });
    const token = await addUser(server, 'eve', [
      { action: ['fs:*', 'catalog:List*'], resource: '*' },
      { action: ['catalog:ReadTable'], resource: 'arn:lakefs:catalog:::table/lake/sales/v2' },
    ]);
    assert.deepEqual(await query('SELECT count(*) > 0 AS any FROM lake.main.sales.v2', token), [{ any: true }]);
    assert.deepEqual(await query('SELECT 1 FROM lake.main.sales.types', token), {
      status: 401,
      message: 'insufficient permissions: not allowed to catalog:ReadTable on arn:lakefs:catalog:::table/lake/sales/types',
    });
  });
});
