/** The index of objects and the journal as tables of the catalog, read by PyIceberg and DuckDB. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { endScripts, isMissing, script } from './support/python.js';
import { addUser, namespacePath, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const missing = isMissing('pyiceberg', 'pyarrow', 'duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

let server: CatalogServer;
before(async () => {
  server = await startCatalog({ 'search.repositories': { lake: 'main' } }, ['search']);
});
after(async () => {
  await endScripts();
  await server.stop();
});

const load = (ref: string, token?: string) =>
  server.call('GET', `${namespacePath('lake', ref, 'system')}/tables/object_metadata`, token === undefined ? {} : { token });

describe('system tables', { skip: missing }, () => {
  test('are read as tables of each ref, with the rows that the repository has', async () => {
    const { engine } = server;
    for (let n = 0; n < 2500; n++)
      await engine.putObject('lake', 'main', `f/${String(n).padStart(4, '0')}`, Buffer.alloc(n % 7), {
        metadata: n % 2 === 0 ? { label: 'cat', n: String(n) } : {},
        contentType: 'text/plain',
      });
    const first = await engine.commit('lake', 'main', { committer: 'ann', message: 'many' });
    await engine.putObject('lake', 'main', 'f/0003', Buffer.from('ü'));
    const second = await engine.commit('lake', 'main', { committer: 'bob', message: 'one' });
    const { results } = await engine.list('lake', 'main', { prefix: 'f/0', amount: 1000 });
    const expected = results
      .slice(0, 8)
      .flatMap(item =>
        item.kind === 'object'
          ? [
              [
                'lake',
                item.path,
                item.path === 'f/0003' ? second.id : first.id,
                item.entry.size,
                item.entry.lastModified.getTime(),
                item.entry.etag,
                Object.entries(item.entry.metadata),
                item.path === 'f/0003' ? 'bob' : 'ann',
                item.entry.contentType,
              ],
            ]
          : [],
      );
    const found = (await script(
      server,
      `
table = catalog().load_table('lake.main.system.object_metadata')
rows = table.scan().to_arrow().sort_by('path')
old = catalog().load_table(('lake', '${first.id}', 'system', 'object_metadata'))
journal = catalog().load_table('lake.main.system.object_journal').scan(row_filter="committer == 'bob'").to_arrow().to_pylist()
print(json.dumps({
  'count': len(rows), 'paths': len(set(rows['path'].to_pylist())),
  'rows': [[*row[:4], round(row[4].timestamp() * 1000), row[5], sorted(map(list, row[6])), *row[7:]] for row in (list(r.values()) for r in rows.slice(0, 8).to_pylist())],
  'old': sum(1 for row in old.scan(row_filter="committer == 'ann'").to_arrow().to_pylist()),
  'journal': [[row['path'], row['operation'], row['size_before'], row['size_after']] for row in journal],
  'tables': catalog().list_tables('lake.main.system'), 'namespaces': catalog().list_namespaces('lake.main'),
}))`,
    )) as Record<string, unknown>;
    assert.deepEqual(found, {
      count: 2500,
      paths: 2500,
      rows: expected,
      old: 2500,
      journal: [['f/0003', 'changed', 3, 2]],
      tables: [
        ['lake', 'main', 'system', 'object_metadata'],
        ['lake', 'main', 'system', 'object_journal'],
      ],
      namespaces: [['lake', 'main', 'system']],
    });
    const other = await script(
      server,
      `
from pyiceberg.catalog import load_catalog
own = catalog().properties
search = load_catalog('mds', type='rest', uri=own['uri'].replace('/iceberg/api', '/mds/iceberg/api'), credential=own['credential'])
print(json.dumps(len(search.load_table('lake.main.system.object_metadata').scan(selected_fields=('path',)).to_arrow())))`,
    );
    assert.equal(other, 2500, 'below /mds, too');
    const duck = await script(
      server,
      `print(json.dumps([list(row) for row in duck('main').execute("SELECT committer, count(*), sum(size), count(user_metadata['label']) FROM lake.system.object_metadata GROUP BY ALL ORDER BY 1").fetchall()]))`,
    );
    const sizes = results.length > 0 ? Array.from({ length: 2500 }, (_, n) => n % 7).reduce((sum, size) => sum + size, 0) : 0;
    assert.deepEqual(duck, [
      ['ann', 2499, sizes - 3, 1250],
      ['bob', 1, 2, 0],
    ]);
  });

  test('are another snapshot of the same table after a commit, and the same one before it', async () => {
    const before = await load('main');
    assert.equal(before.status, 200, before.body);
    assert.equal((await load('main')).headers['etag'], before.headers['etag']);
    await server.engine.putObject('lake', 'main', 'more', Buffer.from('x'));
    await server.engine.commit('lake', 'main', { committer: 'ann', message: 'more' });
    const after = await until(async () => {
      const answer = await load('main');
      return answer.status === 200 && answer;
    });
    const facts = (body: string): readonly unknown[] => {
      const { metadata } = JSON.parse(body) as { readonly metadata: Record<string, unknown> };
      return [metadata['table-uuid'], metadata['current-snapshot-id']];
    };
    assert.equal(facts(after.body)[0], facts(before.body)[0]);
    assert.notEqual(facts(after.body)[1], facts(before.body)[1]);
  });

  test('need the rights to list the repository, and are not changed', async () => {
    const token = await addUser(server, 'eve', [{ action: ['catalog:*', 'fs:ReadRepository'], resource: '*' }]);
    assert.equal((await load('main', token)).status, 403);
    assert.deepEqual(JSON.parse((await server.call('GET', `${namespacePath('lake', 'main', 'system')}/tables`, { token })).body), {
      identifiers: [],
      'next-page-token': null,
    });
    const lister = await addUser(server, 'lou', [{ action: ['fs:ReadRepository', 'fs:ListObjects', 'catalog:*'], resource: '*' }]);
    const answer = await load('main', lister);
    assert.equal(answer.status, 200, answer.body);
    const { config, metadata } = JSON.parse(answer.body) as { config: Record<string, string>; metadata: { location: string } };
    const client = await import('@aws-sdk/client-s3');
    const s3 = new client.S3Client({
      endpoint: server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: {
        accessKeyId: config['s3.access-key-id'] ?? '',
        secretAccessKey: config['s3.secret-access-key'] ?? '',
        sessionToken: config['s3.session-token'] ?? '',
      },
    });
    const Key = `${metadata.location.slice('s3://lake/'.length)}/data/00000.parquet`;
    assert.ok(((await s3.send(new client.GetObjectCommand({ Bucket: 'lake', Key }))).ContentLength ?? 0) > 1000);
    await assert.rejects(s3.send(new client.PutObjectCommand({ Bucket: 'lake', Key, Body: 'x' })), { name: 'AccessDenied' });
    s3.destroy();
    const { status } = await server.call('POST', `${namespacePath('lake', 'main', 'system')}/tables/object_metadata`, {
      body: { requirements: [], updates: [] },
    });
    assert.equal(status, 404);
  });

  test('say how a repository is indexed that is not', async () => {
    await server.engine.createRepository({ id: 'pond', storageNamespace: 'local://pond' });
    const { status, body } = await server.call('GET', `${namespacePath('pond', 'main', 'system')}/tables/object_metadata`);
    assert.equal(status, 400);
    assert.match(body, /repository pond is not indexed; `cli search enable srv:\/\/pond main`/);
    assert.equal((await load('none')).status, 404);
    const namespaces = await server.call('GET', `/namespaces?parent=${encodeURIComponent('pond\u001fmain')}`);
    assert.deepEqual(JSON.parse(namespaces.body), { namespaces: [], 'next-page-token': null });
  });
});
