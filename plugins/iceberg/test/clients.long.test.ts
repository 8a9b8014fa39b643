/** Programs that speak the protocol: PyIceberg and DuckDB, each on a branch, a tag and with the other's tables. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endScripts, isMissing, script } from './support/python.js';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const pyicebergMissing = isMissing('pyiceberg', 'pyarrow');
const duckdbMissing = isMissing('duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(async () => {
  await endScripts();
  await server.stop();
});

describe('PyIceberg', { skip: pyicebergMissing }, () => {
  test('creates, appends, evolves, deletes, overwrites, travels in time, renames and drops', async () => {
    const result = await script(
      server,
      `
import pyarrow as pa
from pyiceberg.types import LongType
cat = catalog()
cat.create_namespace('lake.main.sales', {'owner': 'ann'})
rows = pa.table({'id': [1, 2, 3], 'name': ['a', 'ü', None], 'price': [1.5, 2.5, 3.5]})
table = cat.create_table('lake.main.sales.books', schema=rows.schema)
table.append(rows); table.append(rows)
first = table.snapshots()[0].snapshot_id
with table.update_schema() as update: update.add_column('pages', LongType())
table.delete('id == 1')
table.overwrite(rows.slice(0, 1), 'id == 2')
cat.rename_table('lake.main.sales.books', 'lake.main.sales.volumes')
table = cat.load_table('lake.main.sales.volumes')
print(json.dumps({
  'now': sorted(row['id'] for row in table.scan().to_arrow().to_pylist()),
  'first': table.scan(snapshot_id=first).to_arrow().to_pylist(),
  'tables': cat.list_tables('lake.main.sales'),
  'owner': cat.load_namespace_properties('lake.main.sales'),
  'columns': [field.name for field in table.schema().fields],
}))`,
    );
    assert.deepEqual(result, {
      now: [1, 3, 3],
      first: [
        { id: 1, name: 'a', price: 1.5 },
        { id: 2, name: 'ü', price: 2.5 },
        { id: 3, name: null, price: 3.5 },
      ],
      tables: [['lake', 'main', 'sales', 'volumes']],
      owner: { owner: 'ann' },
      columns: ['id', 'name', 'price', 'pages'],
    });
  });

  test('reads on another branch, a tag and a commit what they have', async () => {
    const { engine } = server;
    const commit = await engine.commit('lake', 'main', { message: 'books', committer: 'test' });
    await engine.createTag('lake', 'v1', 'main');
    await engine.createBranch('lake', 'work', 'main');
    const lengths = (refs: readonly string[]): Promise<unknown> =>
      script(
        server,
        `
cat = catalog()
print(json.dumps([len(cat.load_table(('lake', ref, 'sales', 'volumes')).scan().to_arrow()) for ref in ${JSON.stringify(refs)}]))`,
      );
    await script(
      server,
      `
import pyarrow as pa
table = catalog().load_table('lake.work.sales.volumes')
table.append(table.scan().to_arrow())
print('null')`,
    );
    assert.deepEqual(await lengths(['main', 'work', 'v1', commit.id]), [3, 6, 3, 3]);
    await engine.commit('lake', 'work', { message: 'more', committer: 'test' });
    await engine.merge('lake', 'work', 'main', { committer: 'test' });
    assert.deepEqual(await lengths(['main', 'work', 'v1', commit.id]), [6, 6, 3, 3]);
  });

  test('writes and reads without keys, by requests that are signed', async () => {
    const result = await script(
      server,
      `
import pyarrow as pa
from pyiceberg.catalog import load_catalog
cat = load_catalog('signed', type='rest', uri=url + '/iceberg/api', credential=key + ':' + secret, **{
  'header.X-Iceberg-Access-Delegation': 'remote-signing', 'py-io-impl': 'pyiceberg.io.fsspec.FsspecFileIO'})
rows = pa.table({'id': [1, 2, 3]})
table = cat.create_table('lake.main.sales.signed', schema=rows.schema)
table.append(rows)
table.delete('id == 2')
table = cat.load_table('lake.main.sales.signed')
print(json.dumps([sorted(table.scan().to_arrow()['id'].to_pylist()), 's3.access-key-id' in table.io.properties, table.io.properties['s3.signer']]))`,
    );
    assert.deepEqual(result, [[1, 3], false, 'S3V4RestSigner']);
  });

  test('two writers append at once, and nothing is lost', async () => {
    const result = await script(
      server,
      `
import pyarrow as pa, threading
rows = pa.table({'id': [1]})
catalog().create_table('lake.main.sales.busy', schema=rows.schema)
def write():
    for _ in range(4):
        while True:
            try:
                catalog().load_table('lake.main.sales.busy').append(rows); break
            except Exception as error:
                if 'CommitFailed' not in type(error).__name__: raise
threads = [threading.Thread(target=write) for _ in range(2)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
print(json.dumps(len(catalog().load_table('lake.main.sales.busy').scan().to_arrow())))`,
    );
    assert.equal(result, 8);
  });
});

describe('DuckDB', { skip: duckdbMissing }, () => {
  test('creates, inserts, updates, deletes, and changes several tables at once', async () => {
    const result = await script(
      server,
      `
db = duck('dev')
db.execute('CREATE SCHEMA lake.stock')
db.execute('CREATE TABLE lake.stock.d (i INTEGER, t VARCHAR)')
db.execute("INSERT INTO lake.stock.d VALUES (1, 'x'), (2, 'y')")
db.execute('BEGIN')
db.execute("INSERT INTO lake.stock.d VALUES (3, 'z')")
db.execute('CREATE TABLE lake.stock.e AS SELECT * FROM lake.stock.d')
db.execute('COMMIT')
db.execute('DELETE FROM lake.stock.d WHERE i = 1')
db.execute("UPDATE lake.stock.d SET t = 'q' WHERE i = 2")
rows = lambda table: sorted(db.sql(f'SELECT * FROM lake.stock.{table}').fetchall())
print(json.dumps([rows('d'), rows('e')]))`,
    );
    assert.deepEqual(result, [
      [
        [2, 'q'],
        [3, 'z'],
      ],
      [
        [1, 'x'],
        [2, 'y'],
        [3, 'z'],
      ],
    ]);
  });

  test('reads tables of PyIceberg, which reads its', { skip: pyicebergMissing }, async () => {
    const result = await script(
      server,
      `
print(json.dumps([
  duck('main').sql('SELECT count(*) FROM lake.sales.volumes').fetchall()[0][0],
  len(catalog().load_table('lake.dev.stock.e').scan().to_arrow()),
]))`,
    );
    assert.deepEqual(result, [6, 3]);
  });
});
