/** A copy of a repository with a table of which rows were deleted by position: clients read the same rows of the copy once it is rewritten. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { copyRepository } from './support/copy-repository.js';
import { endScripts, isMissing, script } from './support/python.js';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const missing = isMissing('pyiceberg', 'pyarrow', 'duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(async () => {
  await endScripts();
  await server.stop();
});

const snapshotsOf = (repository: string): string => `
table = catalog().load_table('${repository}.main.sales.books')
rows = lambda id: sorted([row['id'], row['name']] for row in table.scan(snapshot_id=id).to_arrow().to_pylist())
print(json.dumps([rows(snapshot.snapshot_id) for snapshot in table.snapshots()]))`;

test('rows that DuckDB deleted by position are deleted in a copy that was rewritten, for PyIceberg and DuckDB', {
  skip: missing,
}, async () => {
  await script(
    server,
    `
con = duck('main')
con.execute('CREATE SCHEMA lake.sales')
con.execute("CREATE TABLE lake.sales.books (id BIGINT, name VARCHAR) WITH ('format-version' = '2')")
con.execute("INSERT INTO lake.sales.books SELECT i, 'n' || i FROM range(3000) t(i)")
con.execute("INSERT INTO lake.sales.books SELECT i, 'n' || i FROM range(3000, 3010) t(i)")
con.execute("DELETE FROM lake.sales.books WHERE id % 3 = 0 OR id BETWEEN 100 AND 900")
con.execute("UPDATE lake.sales.books SET name = 'other' WHERE id = 3005")
print('null')`,
  );
  const expected = (await script(server, snapshotsOf('lake'))) as [number, string][][];
  await server.engine.commit('lake', 'main', { committer: 'test', message: 'tables' });
  await copyRepository(server);
  const { status, body } = await server.call('POST', '/api/v1/repositories/copy/branches/main/iceberg/rewrite', { body: {} });
  const { results } = JSON.parse(body) as { results: { name: string; to?: string; problem?: string }[] };
  assert.deepEqual([status, results.map(({ name, problem }) => [name, problem])], [200, [['sales.books', undefined]]]);
  // Nothing of the copy reads the original.
  await rm(join(server.home, 'block', 'lake', 'tables'), { recursive: true });

  assert.deepEqual(await script(server, snapshotsOf('copy')), expected);
  const now = expected.at(-1) ?? [];
  assert.ok(now.length < 2000 && now.some(([, name]) => name === 'other'), 'rows were deleted and changed');
  const read = `print(json.dumps(duck('main', 'copy').execute('SELECT id, name FROM lake.sales.books ORDER BY id').fetchall()))`;
  assert.deepEqual(await script(server, read), now);

  const files = (await script(
    server,
    `
import pyarrow.parquet as pq
table = catalog().load_table('copy.main.sales.books')
found = []
for manifest in table.current_snapshot().manifests(table.io):
    if manifest.content.name != 'DELETES': continue
    for entry in manifest.fetch_manifest_entry(table.io):
        file = entry.data_file
        content = table.io.new_input(file.file_path).open().read()
        import pyarrow as pa
        paths = pq.read_table(pa.BufferReader(content)).column('file_path').to_pylist()
        found.append([file.file_format.name, file.file_path, file.file_size_in_bytes == len(content), file.record_count == len(paths), *sorted(set(paths)),
          *[bounds[2147483546].decode() for bounds in (file.lower_bounds, file.upper_bounds) if bounds and 2147483546 in bounds]])
print(json.dumps(found))`,
  )) as [string, string, boolean, boolean, ...string[]][];
  assert.ok(files.length > 0, 'rows are deleted beside the data');
  for (const [format, path, isLength, isCount, ...addresses] of files) {
    assert.deepEqual([format, isLength, isCount], ['PARQUET', true, true]);
    for (const address of [path, ...addresses]) assert.ok(address.startsWith('s3://copy/.tables/'), address);
  }
});
