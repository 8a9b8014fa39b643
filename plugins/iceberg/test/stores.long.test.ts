/** What engines do with tables, on every kind of store that test servers offer: each step on a branch, read on others and on a tag. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endScripts, isMissing, script } from './support/python.js';
import { openOnStore, storeNames } from './support/stores.js';
import type { CatalogOnStore } from './support/stores.js';

const pyicebergMissing = isMissing('pyiceberg', 'pyarrow');
const duckdbMissing = isMissing('duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

/** Each prints what it reads. */
const engines = {
  PyIceberg: {
    missing: pyicebergMissing,
    write: `
import pyarrow as pa
from pyiceberg.types import LongType
cat = catalog()
cat.create_namespace('lake.dev.py')
rows = pa.table({'id': pa.array([1, 2, 3], pa.int64()), 'name': ['a', 'b', 'c']})
table = cat.create_table('lake.dev.py.t', schema=rows.schema)
table.append(rows)
first = table.current_snapshot().snapshot_id
table.append(pa.table({'id': pa.array([4], pa.int64()), 'name': ['d']}))
table.overwrite(pa.table({'id': pa.array([2], pa.int64()), 'name': ['B']}), 'id == 2')
table.delete('id == 3')
with table.update_schema() as update: update.add_column('pages', LongType())
rows = lambda t, **at: sorted([r['id'], r['name']] for r in t.scan(**at).to_arrow().to_pylist())
t = cat.load_table('lake.dev.py.t')
print(json.dumps([rows(t), rows(t, snapshot_id=first), [f.name for f in t.schema().fields]]))`,
    read: (ref: string) => `
t = catalog().load_table('lake.${ref}.py.t')
print(json.dumps(sorted([r['id'], r['name']] for r in t.scan().to_arrow().to_pylist())))`,
    add: (ref: string) => `
import pyarrow as pa
t = catalog().load_table('lake.${ref}.py.t')
t.append(pa.table({'id': pa.array([9], pa.int64()), 'name': ['z'], 'pages': pa.array([1], pa.int64())}))
print('1')`,
  },
  DuckDB: {
    missing: duckdbMissing,
    write: `
db = duck('dev')
db.execute('CREATE SCHEMA lake.duck')
db.execute('CREATE TABLE lake.duck.t (id BIGINT, name VARCHAR)')
db.execute("INSERT INTO lake.duck.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
first = db.sql("SELECT snapshot_id FROM iceberg_snapshots(lake.duck.t)").fetchall()[0][0]
db.execute("INSERT INTO lake.duck.t VALUES (4, 'd')")
db.execute("UPDATE lake.duck.t SET name = 'B' WHERE id = 2")
db.execute('DELETE FROM lake.duck.t WHERE id = 3')
db.execute('ALTER TABLE lake.duck.t ADD COLUMN pages BIGINT')
rows = lambda at='': sorted(map(list, db.sql(f'SELECT id, name FROM lake.duck.t {at}').fetchall()))
print(json.dumps([rows(), rows(f'AT (VERSION => {first})'), [c[0] for c in db.sql('DESCRIBE lake.duck.t').fetchall()]]))`,
    read: (ref: string) => `
print(json.dumps(sorted(map(list, duck('${ref}').sql('SELECT id, name FROM lake.duck.t').fetchall()))))`,
    add: (ref: string) => `
duck('${ref}').execute("INSERT INTO lake.duck.t VALUES (9, 'z', 1)")
print('1')`,
  },
};

for (const name of storeNames)
  describe(`on ${name}`, () => {
    let opened: CatalogOnStore | string;
    before(async () => {
      opened = await openOnStore(name);
    });
    after(async () => {
      await endScripts();
      if (typeof opened === 'object') await opened.close();
    });

    for (const [engine, { missing, write, read, add }] of Object.entries(engines))
      test(`${engine} creates, appends, updates, deletes, evolves, travels in time, and reads other branches and a tag`, {
        skip: missing,
      }, async t => {
        if (typeof opened === 'string') return t.skip(opened);
        const { server } = opened;
        const now = [
          [1, 'a'],
          [2, 'B'],
          [4, 'd'],
        ];
        const before = [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ];
        assert.deepEqual(await script(server, write), [now, before, ['id', 'name', 'pages']]);
        const by = { committer: 'test', message: engine };
        await server.engine.commit('lake', 'dev', by);
        await server.engine.createTag('lake', `v-${engine}`, 'dev');
        await server.engine.createBranch('lake', `b-${engine}`, 'dev');
        await script(server, add(`b-${engine}`));
        assert.deepEqual(await script(server, read(`b-${engine}`)), [...now, [9, 'z']]);
        assert.deepEqual(await script(server, read('dev')), now);
        await server.engine.commit('lake', `b-${engine}`, by);
        await server.engine.merge('lake', `b-${engine}`, 'dev', by);
        assert.deepEqual(await script(server, read('dev')), [...now, [9, 'z']]);
        assert.deepEqual(await script(server, read(`v-${engine}`)), now);
      });
  });
