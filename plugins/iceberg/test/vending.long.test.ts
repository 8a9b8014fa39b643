/** Tables at addresses of the store, for which clients get credentials of the store: those of one table reach nothing else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NeedsError } from '@srv/test-servers';
import { startS3 } from '@srv/test-servers/s3';
import { startRoles } from '@srv/test-servers/sts-roles';
import { endScripts, isMissing, script } from './support/python.js';
import { addUser, namespacePath, schema, startCatalog } from './support/server.js';
import { ageless, collect } from './support/table-model.js';
import type { S3Server } from '@srv/test-servers/s3';
import type { RoleServer } from '@srv/test-servers/sts-roles';
import type { CatalogServer } from './support/server.js';

const pyicebergMissing = isMissing('pyiceberg', 'pyarrow');
const duckdbMissing = isMissing('duckdb', 'duckdb_extensions', 'duckdb_extension_iceberg');

let store: S3Server;
let roles: RoleServer;
let server: CatalogServer;
let skip: string | undefined;
before(async () => {
  try {
    store = await startS3('versitygw');
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    skip = `needs ${error.message}`;
    return;
  }
  const { url, accessKeyId, secretAccessKey, namespace } = store;
  roles = await startRoles(store);
  const values = {
    ...ageless,
    'blockstore.local.path': undefined,
    'blockstore.type': 's3',
    'blockstore.s3.endpoint': url,
    'blockstore.s3.pre_signed_endpoint': roles.gateUrl,
    'blockstore.s3.force_path_style': true,
    'blockstore.s3.discover_bucket_region': false,
    'blockstore.s3.credentials.access_key_id': accessKeyId,
    'blockstore.s3.credentials.secret_access_key': secretAccessKey,
    'blockstore.s3.vended_credentials.role_arn': 'arn:aws:iam::123456789012:role/tables',
    'blockstore.s3.vended_credentials.sts_endpoint': roles.stsUrl,
    'iceberg.locations': 'store',
  };
  server = await startCatalog(values, ['block-s3', 'gc'], `${namespace}/lake`);
});
after(async () => {
  await endScripts();
  await server?.stop();
  await roles?.close();
  await store?.close();
});

const by = { committer: 'test', message: 'tables' };
const now = [
  [1, 'a'],
  [2, 'B'],
  [4, 'd'],
];

test('PyIceberg writes and reads in the store itself, on branches that merge, and a collection keeps what they have', {
  skip: pyicebergMissing,
}, async t => {
  if (skip !== undefined) return t.skip(skip);
  const written = await script(
    server,
    `
import pyarrow as pa
cat = catalog()
cat.create_namespace('lake.dev.py')
rows = pa.table({'id': pa.array([1, 2, 3], pa.int64()), 'name': ['a', 'b', 'c']})
table = cat.create_table('lake.dev.py.t', schema=rows.schema)
table.append(rows)
table.append(pa.table({'id': pa.array([4], pa.int64()), 'name': ['d']}))
table.overwrite(pa.table({'id': pa.array([2], pa.int64()), 'name': ['B']}), 'id == 2')
table.delete('id == 3')
cat.create_table('lake.dev.py.dropped', schema=rows.schema).append(rows)
cat.drop_table('lake.dev.py.dropped')
t = cat.load_table('lake.dev.py.t')
print(json.dumps([t.location(), t.io.properties['s3.endpoint'], sorted([r['id'], r['name']] for r in t.scan().to_arrow().to_pylist())]))`,
  );
  const [location, endpoint, rows] = written as [string, string, unknown];
  assert.ok(location.startsWith(`${store.namespace}/lake/tables/py/t-`), location);
  assert.deepEqual([endpoint, rows], [roles.gateUrl, now]);
  await server.engine.commit('lake', 'dev', by);
  await server.engine.createBranch('lake', 'work', 'dev');
  const append = (ref: string, id: number) => `
import pyarrow as pa
catalog().load_table('lake.${ref}.py.t').append(pa.table({'id': pa.array([${id}], pa.int64()), 'name': ['z']}))
print('1')`;
  await script(server, append('work', 9));
  await script(server, append('dev', 8));
  await server.engine.commit('lake', 'work', by);
  await server.engine.commit('lake', 'dev', by);
  await server.engine.merge('lake', 'work', 'dev', by);
  const collected = JSON.stringify(await collect(server, 'lake'));
  const read = `
t = catalog().load_table('lake.dev.py.t')
print(json.dumps(sorted([r['id'], r['name']] for r in t.scan().to_arrow().to_pylist())))`;
  assert.deepEqual(await script(server, read), [...now, [8, 'z'], [9, 'z']], collected);
  const left: string[] = [];
  for await (const page of server.kernel.services.get('block').walk(`${store.namespace}/lake/tables/`))
    left.push(...page.map(({ relativeKey }) => relativeKey));
  assert.ok(left.some(key => key.startsWith('py/t-')) && !left.some(key => key.startsWith('py/dropped-')), left.join('\n'));
});

test('DuckDB writes and reads in the store itself', { skip: duckdbMissing }, async t => {
  if (skip !== undefined) return t.skip(skip);
  const rows = await script(
    server,
    `
db = duck('dev')
db.execute('CREATE SCHEMA lake.duck')
db.execute('CREATE TABLE lake.duck.t (id BIGINT, name VARCHAR)')
db.execute("INSERT INTO lake.duck.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
db.execute("INSERT INTO lake.duck.t VALUES (4, 'd')")
db.execute("UPDATE lake.duck.t SET name = 'B' WHERE id = 2")
db.execute('DELETE FROM lake.duck.t WHERE id = 3')
print(json.dumps(sorted(map(list, db.sql('SELECT id, name FROM lake.duck.t').fetchall()))))`,
  );
  assert.deepEqual(rows, now);
});

interface Vended {
  readonly 'storage-credentials': readonly { readonly prefix: string; readonly config: Readonly<Record<string, string>> }[];
}

test('a reader of one table gets credentials that read it, and nothing else', { skip: pyicebergMissing }, async t => {
  if (skip !== undefined) return t.skip(skip);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  const locations = [];
  for (const name of ['a', 'ab']) {
    const { body } = await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, { body: { name, schema } });
    locations.push((JSON.parse(body) as { metadata: { location: string } }).metadata.location);
  }
  const token = await addUser(server, 'reader', [{ action: ['catalog:ReadTable'], resource: 'arn:lakefs:catalog:::table/lake/sales/a' }]);
  const credentials = (name: string) =>
    server.call('GET', `${namespacePath('lake', 'main', 'sales')}/tables/${name}/credentials`, { token });
  assert.equal((await credentials('ab')).status, 403);
  const { 'storage-credentials': vended } = JSON.parse((await credentials('a')).body) as Vended;
  assert.equal(vended[0]?.prefix, locations[0]);
  const tried = await script(
    server,
    `
from pyarrow.fs import S3FileSystem, FileSelector
c = ${JSON.stringify(vended[0]?.config)}
fs = S3FileSystem(access_key=c['s3.access-key-id'], secret_key=c['s3.secret-access-key'], session_token=c['s3.session-token'], endpoint_override=c['s3.endpoint'], region=c['client.region'])
def may(work):
  try:
    work(); return True
  except OSError as error:
    assert 'ACCESS_DENIED' in str(error) or '403' in str(error), error
    return False
mine, other = [l.split('://')[1] for l in ${JSON.stringify(locations)}]
print(json.dumps([
  may(lambda: fs.get_file_info(FileSelector(mine + '/metadata'))), may(lambda: fs.get_file_info(FileSelector(other + '/metadata'))),
  may(lambda: fs.get_file_info(FileSelector(mine.split('/')[0], recursive=True))),
  may(lambda: fs.open_output_stream(mine + '/data/x').close()), may(lambda: fs.open_output_stream(other + '/data/x').close()),
  may(lambda: fs.delete_file(fs.get_file_info(FileSelector(mine + '/metadata'))[0].path))]))`,
  );
  assert.deepEqual(tried, [true, false, false, false, false, false]);
});

test('no requests are signed for tables in the store', async t => {
  if (skip !== undefined) return t.skip(skip);
  const tables = `${namespacePath('lake', 'main', 'sales')}/tables`;
  const request = { region: 'us-east-1', method: 'GET', uri: `${roles.gateUrl}/x`, headers: {} };
  const signed = await server.call('POST', `${tables}/a/sign`, { body: request });
  assert.equal(signed.status, 406, signed.body);
});

test('a table moves from addresses of the store to those of the gateway and back', { skip: pyicebergMissing }, async t => {
  if (skip !== undefined) return t.skip(skip);
  const load = async (name: string) => {
    const { body } = await server.call('GET', `${namespacePath('lake', 'dev', 'py')}/tables/${name}`);
    const { 'metadata-location': address, metadata } = JSON.parse(body) as { 'metadata-location': string; metadata: { location: string } };
    return { address, location: metadata.location };
  };
  const register = async (name: string, address: string) => {
    const path = '/api/v1/repositories/lake/branches/dev/iceberg/register';
    const answer = await server.call('POST', path, { body: { name, metadata_location: address, rewrite: true } });
    assert.ok(answer.status < 300, answer.body);
  };
  const [inStore, inGateway] = [`${store.namespace}/lake/tables/`, 's3://lake/.tables/'];
  const rows = (name: string) =>
    script(server, `print(json.dumps(sorted(r['id'] for r in catalog().load_table('lake.dev.py.${name}').scan().to_arrow().to_pylist())))`);
  const before = await rows('t');
  await register('py.moved', (await load('t')).address.replace(inStore, inGateway));
  const moved = await load('moved');
  assert.ok(moved.location.startsWith(inGateway), moved.location);
  await register('py.back', moved.address.replace(inGateway, inStore));
  assert.ok((await load('back')).location.startsWith(inStore));
  for (const name of ['moved', 'back', 't']) assert.deepEqual(await rows(name), before, name);
});

test('all tables of a branch move to addresses of the gateway, and back to those of the store', { skip: pyicebergMissing }, async t => {
  if (skip !== undefined) return t.skip(skip);
  const read = () =>
    script(
      server,
      `
cat = catalog()
tables = [cat.load_table(name) for namespace in ('py', 'duck') for name in cat.list_tables(('lake', 'dev', namespace))]
print(json.dumps([[t.location(), sorted([r['id'], r['name']] for r in t.scan().to_arrow().to_pylist())] for t in tables]))`,
    ) as Promise<[string, unknown][]>;
  const rewrite = async (body: object): Promise<number> => {
    const answer = await server.call('POST', '/api/v1/repositories/lake/branches/dev/iceberg/rewrite', { body });
    const { results } = JSON.parse(answer.body) as { results: { problem?: string }[] };
    assert.deepEqual([answer.status, results.filter(({ problem }) => problem !== undefined)], [200, []]);
    return results.length;
  };
  const before = await read();
  for (const [locations, prefix] of [
    ['gateway', 's3://lake/.tables/'],
    ['store', `${store.namespace}/lake/tables/`],
  ]) {
    assert.ok((await rewrite({ locations, dry_run: true })) > 0, locations);
    assert.ok((await rewrite({ locations })) > 0, locations);
    const found = await read();
    assert.deepEqual(
      found.map(([, rows]) => rows),
      before.map(([, rows]) => rows),
    );
    for (const [location] of found) assert.ok(location.startsWith(String(prefix)), location);
    assert.equal(await rewrite({ locations }), 0);
  }
  assert.equal(await rewrite({}), 0);
});
