/** Spark 3.5 with the runtime of Iceberg, in one process, on every kind of store: what it does on a branch, and reads on others and on a tag. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endScripts, isMissing, script } from './support/python.js';
import { openOnStore, storeNames } from './support/stores.js';
import type { CatalogServer } from './support/server.js';
import type { CatalogOnStore, StoreName } from './support/stores.js';

const folder = process.env['SRV_TEST_ICEBERG_KIT'] ?? '';
const jars = ['spark/iceberg-spark-runtime-3.5_2.12-1.9.2.jar', 'iceberg-aws-bundle-1.9.2.jar'].map(name => join(folder, name));
const jarMissing = jars.every(path => existsSync(path)) ? false : 'needs SRV_TEST_ICEBERG_KIT, a folder with the jars of Iceberg for Spark';
const missing = isMissing('pyspark') || jarMissing;

const opened = new Map<StoreName, CatalogOnStore | string>();
/** One of them, whose key opens all. */
let first: CatalogServer;
before(async () => {
  if (missing) return;
  for (const name of storeNames) {
    const store = await openOnStore(name);
    opened.set(name, store);
    if (typeof store === 'object') first = store.server;
  }
});
after(async () => {
  await endScripts();
  for (const store of opened.values()) if (typeof store === 'object') await store.close();
});

/** Name of a store's catalog in Spark. */
const catalogOf = (name: StoreName): string => `c${storeNames.indexOf(name)}`;

/** Lines of Python with the session, which is made by the first of them; each store is a catalog. */
const run = (lines: string): Promise<unknown> => {
  const addresses = [...opened].flatMap(([name, store]) => (typeof store === 'object' ? [[catalogOf(name), store.server.url]] : []));
  return script(
    first,
    `
from pyspark.sql import SparkSession
settings = {
  'spark.jars': '${jars.join(',')}', 'spark.ui.enabled': 'false', 'spark.driver.memory': '1g', 'spark.sql.shuffle.partitions': '1',
  'spark.driver.host': '127.0.0.1', 'spark.driver.bindAddress': '127.0.0.1',
  'spark.sql.extensions': 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions'}
for name, url in ${JSON.stringify(addresses)}:
  catalog = 'spark.sql.catalog.' + name
  settings |= {
    catalog: 'org.apache.iceberg.spark.SparkCatalog', catalog + '.type': 'rest', catalog + '.uri': url + '/iceberg/api',
    catalog + '.credential': key + ':' + secret, catalog + '.io-impl': 'org.apache.iceberg.aws.s3.S3FileIO', catalog + '.cache-enabled': 'false'}
builder = SparkSession.builder.master('local[1]')
for name, value in settings.items(): builder = builder.config(name, value)
spark = builder.getOrCreate()
q = lambda text: [list(row) for row in spark.sql(text).collect()]
${lines}`,
  );
};

const by = { committer: 'test', message: 'spark' };
const now = [
  [1, 'a'],
  [2, 'B'],
  [4, 'd'],
];
const earlier = [
  [1, 'a'],
  [2, 'b'],
  [3, 'c'],
];

for (const name of storeNames)
  test(`on ${name}, Spark creates, appends, updates, merges, deletes, evolves, travels in time, and reads other branches and a tag`, {
    skip: missing,
  }, async t => {
    const store = opened.get(name);
    if (typeof store !== 'object') return t.skip(store);
    const { engine } = store.server;
    const at = (ref: string): string => `${catalogOf(name)}.lake.${ref}.sales`;
    const rowsAt = (ref: string): string => `q('SELECT id, name FROM ${at(ref)}.t ORDER BY id')`;
    const table = `${at('dev')}.t`;
    const found = await run(`
q('CREATE NAMESPACE ${at('dev')}')
q('CREATE TABLE ${table} (id BIGINT, name STRING) USING iceberg')
q("INSERT INTO ${table} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
first = q('SELECT snapshot_id FROM ${table}.snapshots')[0][0]
q("INSERT INTO ${table} VALUES (4, 'd')")
q("UPDATE ${table} SET name = 'B' WHERE id = 2")
q('DELETE FROM ${table} WHERE id = 3')
q('ALTER TABLE ${table} ADD COLUMN pages BIGINT')
columns = [row[0] for row in q('DESCRIBE ${table}')][:3]
print(json.dumps([${rowsAt('dev')}, q(f'SELECT id, name FROM ${table} VERSION AS OF {first} ORDER BY id'), columns]))`);
    assert.deepEqual(found, [now, earlier, ['id', 'name', 'pages']]);
    await engine.commit('lake', 'dev', by);
    await engine.createTag('lake', 'v1', 'dev');
    await engine.createBranch('lake', 'work', 'dev');
    await run(`q("INSERT INTO ${at('work')}.t VALUES (9, 'z', 1)"); print('1')`);
    await engine.commit('lake', 'work', by);
    assert.deepEqual(await run(`print(json.dumps([${rowsAt('work')}, ${rowsAt('dev')}]))`), [[...now, [9, 'z']], now]);
    await engine.merge('lake', 'work', 'dev', by);
    const merged = await run(`
q("MERGE INTO ${table} t USING (SELECT 1 AS id, 'm' AS name) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name")
print(json.dumps([${rowsAt('dev')}, ${rowsAt('v1')}]))`);
    assert.deepEqual(merged, [[[1, 'm'], ...now.slice(1), [9, 'z']], now]);
  });
