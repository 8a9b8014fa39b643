/** Tables that both sides of a merge changed, written and read by PyIceberg and DuckDB. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endScripts, isMissing, script } from './support/python.js';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const missing = isMissing('pyiceberg', 'pyarrow');
const duckdbMissing = isMissing('duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(async () => {
  await endScripts();
  await server.stop();
});

const by = { committer: 'test' };
const commit = (branch: string) => server.engine.commit('lake', branch, { ...by, message: branch });

/** A table on main and on a new branch of its name. */
async function begin(name: string, settings = ''): Promise<void> {
  await script(
    server,
    `
import pyarrow as pa
cat = catalog()
try: cat.create_namespace('lake.main.sales')
except Exception: pass
rows = pa.table({'id': pa.array([1, 2], pa.int64()), 'name': ['a', 'b']})
table = cat.create_table('lake.main.sales.${name}', schema=rows.schema, properties={${settings}})
table.append(rows)
print('1')`,
  );
  await commit('main');
  await server.engine.createBranch('lake', name, 'main');
}

const append = (ref: string, name: string, ids: readonly number[]): string => `
cat.load_table('lake.${ref}.sales.${name}').append(pa.table({'id': pa.array(${JSON.stringify(ids)}, pa.int64()), 'name': ${JSON.stringify(ids.map(id => `${ref}${id}`))}}))
`;

const work = (lines: string): Promise<unknown> => script(server, `\nimport pyarrow as pa\ncat = catalog()\n${lines}\nprint('1')`);

const idsAt = (ref: string, name: string): Promise<unknown> =>
  script(
    server,
    `
table = catalog().load_table('lake.${ref}.sales.${name}')
print(json.dumps(sorted(row['id'] for row in table.scan().to_arrow().to_pylist())))`,
  );

for (const [name, settings] of [
  ['firsts', "'format-version': '1'"],
  ['packed', "'write.avro.compression-codec': 'zstd', 'write.metadata.compression-codec': 'gzip'"],
] as const)
  test(`merges appends to a table with ${settings}`, { skip: missing }, async () => {
    await begin(name, settings);
    await work(append('main', name, [10]) + append('main', name, [11]) + append(name, name, [20]) + append(name, name, [21]));
    await commit('main');
    await commit(name);
    await server.engine.merge('lake', name, 'main', by);
    assert.deepEqual(await idsAt('main', name), [1, 2, 10, 11, 20, 21]);
    await work(`cat.load_table('lake.main.sales.${name}').delete('id == 20')\n` + append('main', name, [12]));
    assert.deepEqual(await idsAt('main', name), [1, 2, 10, 11, 12, 21]);
  });

describe('PyIceberg', { skip: missing }, () => {
  test('appends on both branches are all there, and the table can be changed further', async () => {
    const name = 'appends';
    await begin(name);
    await work(append('main', name, [10]) + append('main', name, [11]) + append(name, name, [20]) + append(name, name, [21]));
    await commit('main');
    await commit(name);
    await server.engine.merge('lake', name, 'main', by);
    assert.deepEqual(await idsAt('main', name), [1, 2, 10, 11, 20, 21]);
    assert.deepEqual(await idsAt(name, name), [1, 2, 20, 21]);
    // Again, and in the other direction: nothing is added twice.
    await work(append(name, name, [22]) + append('main', name, [12]));
    await commit('main');
    await commit(name);
    await server.engine.merge('lake', name, 'main', by);
    assert.deepEqual(await idsAt('main', name), [1, 2, 10, 11, 12, 20, 21, 22]);
    await work(append(name, name, [23]));
    await commit(name);
    await server.engine.merge('lake', 'main', name, by);
    assert.deepEqual(await idsAt(name, name), [1, 2, 10, 11, 12, 20, 21, 22, 23]);
    await work(`cat.load_table('lake.${name}.sales.${name}').delete('id == 21')\n` + append(name, name, [24]));
    assert.deepEqual(await idsAt(name, name), [1, 2, 10, 11, 12, 20, 22, 23, 24]);
    const history = await script(
      server,
      `
table = catalog().load_table('lake.main.sales.${name}')
snapshots = [s for s in table.snapshots()]
print(json.dumps([[s.sequence_number for s in snapshots], [s.summary['total-records'] for s in snapshots],
  sorted(row['id'] for row in table.scan(snapshot_id=snapshots[3].snapshot_id).to_arrow().to_pylist())]))`,
    );
    assert.deepEqual(history, [
      [1, 2, 3, 4, 5, 6, 7],
      ['2', '3', '4', '5', '6', '7', '8'],
      [1, 2, 10, 11, 20],
    ]);
  });
});

/** Replaces all files of a table by one, as a compaction does; the library has no call for that. */
const compact = (ref: string, name: string): string => `
from pyiceberg.io.pyarrow import _dataframe_to_data_files
from pyiceberg.table.snapshots import Operation, Summary
from pyiceberg.table.update.snapshot import _OverwriteFiles
table = cat.load_table('lake.${ref}.sales.${name}')
transaction = table.transaction()
producer = _OverwriteFiles(operation=Operation.OVERWRITE, transaction=transaction, io=table.io)
plain = producer._summary
producer._summary = lambda properties={}: Summary(operation=Operation.REPLACE, **plain(properties).additional_properties)
for task in table.scan().plan_files(): producer.delete_data_file(task.file)
for file in _dataframe_to_data_files(table_metadata=table.metadata, df=table.scan().to_arrow(), io=table.io): producer.append_data_file(file)
producer.commit()
transaction.commit_transaction()
`;

describe('compactions by PyIceberg', { skip: missing }, () => {
  const filesOf = (ref: string, name: string): Promise<unknown> =>
    script(server, `print(json.dumps(len(list(catalog().load_table('lake.${ref}.sales.${name}').scan().plan_files()))))`);

  for (const name of ['destination', 'source'])
    test(`of the ${name} and appends of the other side are both there`, async () => {
      const [compacting, appending] = name === 'source' ? [name, 'main'] : ['main', name];
      await begin(name);
      await work(append('main', name, [3]));
      await commit('main');
      await server.engine.merge('lake', 'main', name, by);
      await work(
        append(compacting, name, [10]) + compact(compacting, name) + append(compacting, name, [11]) + append(appending, name, [20]),
      );
      await commit('main');
      await commit(name);
      await server.engine.merge('lake', name, 'main', by);
      assert.deepEqual(await idsAt('main', name), [1, 2, 3, 10, 11, 20]);
      assert.equal(await filesOf('main', name), 3);
      await work(`cat.load_table('lake.main.sales.${name}').delete('id == 10')\n` + append('main', name, [12]));
      assert.deepEqual(await idsAt('main', name), [1, 2, 3, 11, 12, 20]);
      if (duckdbMissing) return;
      const rows = await script(server, `print(json.dumps(sorted(duck('main').sql('SELECT id FROM lake.sales.${name}').fetchall())))`);
      assert.deepEqual(rows, [[1], [2], [3], [11], [12], [20]]);
    });

  test('of both branches conflict, with the file that is missing', async () => {
    const name = 'twice';
    await begin(name);
    await work(compact('main', name) + compact(name, name));
    await commit('main');
    await commit(name);
    await assert.rejects(
      server.engine.merge('lake', name, 'main', by),
      /^SrvError: conflict found: table sales\.twice: the source's snapshot \d+ compacts s3:\/\/lake\/\.tables\/sales\/twice-.*, which the destination does not have any longer$/,
    );
  });
});

describe('DuckDB', { skip: duckdbMissing }, () => {
  test('appends on both branches are all there, and its deletions conflict', async () => {
    await script(
      server,
      `
db = duck('main')
db.execute('CREATE SCHEMA IF NOT EXISTS lake.stock')
db.execute('CREATE TABLE lake.stock.d (i BIGINT)')
db.execute('INSERT INTO lake.stock.d VALUES (1), (2)')
print('1')`,
    );
    await commit('main');
    const name = 'duck';
    await server.engine.createBranch('lake', name, 'main');
    await script(
      server,
      `
duck('main').execute('INSERT INTO lake.stock.d VALUES (10)')
duck('duck').execute('INSERT INTO lake.stock.d VALUES (20)')
print('1')`,
    );
    await commit('main');
    await commit(name);
    await server.engine.merge('lake', name, 'main', by);
    const rows = () => script(server, `print(json.dumps(sorted(duck('main').sql('SELECT i FROM lake.stock.d').fetchall())))`);
    assert.deepEqual(await rows(), [[1], [2], [10], [20]]);
    await script(
      server,
      `
duck('main').execute('INSERT INTO lake.stock.d VALUES (11)')
duck('duck').execute('DELETE FROM lake.stock.d WHERE i = 20')
print('1')`,
    );
    await commit('main');
    await commit(name);
    await assert.rejects(
      server.engine.merge('lake', name, 'main', by),
      /conflict found: table stock\.d: snapshot \d+ of the source is (a delete|an overwrite), and only appends and compactions are merged/,
    );
    assert.deepEqual(await rows(), [[1], [2], [10], [11], [20]]);
  });
});
