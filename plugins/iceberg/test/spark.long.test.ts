/** Spark 3.5 with the runtime of Iceberg, in one process: what it does on a branch, and reads on others and on a tag. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endScripts, isMissing, script } from './support/python.js';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const folder = process.env['SRV_TEST_ICEBERG_KIT'] ?? '';
const jars = ['spark/iceberg-spark-runtime-3.5_2.12-1.9.2.jar', 'iceberg-aws-bundle-1.9.2.jar'].map(name => join(folder, name));
const jarMissing = jars.every(path => existsSync(path)) ? false : 'needs SRV_TEST_ICEBERG_KIT, a folder with the jars of Iceberg for Spark';
const missing = (await isMissing('pyspark')) || jarMissing;

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(async () => {
  await endScripts();
  await server.stop();
});

/** Lines of Python with the session, which is made by the first of them. */
const run = (lines: string): Promise<unknown> =>
  script(
    server,
    `
from pyspark.sql import SparkSession
settings = {
  'spark.jars': '${jars.join(',')}', 'spark.ui.enabled': 'false', 'spark.driver.memory': '1g', 'spark.sql.shuffle.partitions': '1',
  'spark.driver.host': '127.0.0.1', 'spark.driver.bindAddress': '127.0.0.1',
  'spark.sql.extensions': 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions',
  'spark.sql.catalog.srv': 'org.apache.iceberg.spark.SparkCatalog', 'spark.sql.catalog.srv.type': 'rest',
  'spark.sql.catalog.srv.uri': url + '/iceberg/api', 'spark.sql.catalog.srv.credential': key + ':' + secret,
  'spark.sql.catalog.srv.io-impl': 'org.apache.iceberg.aws.s3.S3FileIO', 'spark.sql.catalog.srv.cache-enabled': 'false'}
builder = SparkSession.builder.master('local[1]')
for name, value in settings.items(): builder = builder.config(name, value)
spark = builder.getOrCreate()
q = lambda text: [list(row) for row in spark.sql(text).collect()]
${lines}`,
  );

const by = { committer: 'test', message: 'spark' };
const rowsAt = (ref: string): string => `q('SELECT id, name FROM srv.lake.${ref}.sales.t ORDER BY id')`;

test('Spark creates, appends, updates, merges, deletes, evolves, travels in time, and reads other branches and a tag', {
  skip: missing,
}, async () => {
  const now = [
    [1, 'a'],
    [2, 'B'],
    [4, 'd'],
  ];
  const found = await run(`
q('CREATE NAMESPACE srv.lake.dev.sales')
q('CREATE TABLE srv.lake.dev.sales.t (id BIGINT, name STRING) USING iceberg')
q("INSERT INTO srv.lake.dev.sales.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
first = q('SELECT snapshot_id FROM srv.lake.dev.sales.t.snapshots')[0][0]
q("INSERT INTO srv.lake.dev.sales.t VALUES (4, 'd')")
q("UPDATE srv.lake.dev.sales.t SET name = 'B' WHERE id = 2")
q('DELETE FROM srv.lake.dev.sales.t WHERE id = 3')
q('ALTER TABLE srv.lake.dev.sales.t ADD COLUMN pages BIGINT')
columns = [row[0] for row in q('DESCRIBE srv.lake.dev.sales.t')][:3]
print(json.dumps([${rowsAt('dev')}, q(f'SELECT id, name FROM srv.lake.dev.sales.t VERSION AS OF {first} ORDER BY id'), columns]))`);
  const before = [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ];
  assert.deepEqual(found, [now, before, ['id', 'name', 'pages']]);
  await server.engine.commit('lake', 'dev', by);
  await server.engine.createTag('lake', 'v1', 'dev');
  await server.engine.createBranch('lake', 'work', 'dev');
  await run(`q("INSERT INTO srv.lake.work.sales.t VALUES (9, 'z', 1)"); print('1')`);
  await server.engine.commit('lake', 'work', by);
  assert.deepEqual(await run(`print(json.dumps([${rowsAt('work')}, ${rowsAt('dev')}]))`), [[...now, [9, 'z']], now]);
  await server.engine.merge('lake', 'work', 'dev', by);
  const merged = await run(`
q("MERGE INTO srv.lake.dev.sales.t t USING (SELECT 1 AS id, 'm' AS name) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name")
print(json.dumps([${rowsAt('dev')}, ${rowsAt('v1')}]))
spark.stop()`);
  assert.deepEqual(merged, [[[1, 'm'], ...now.slice(1), [9, 'z']], now]);
});
