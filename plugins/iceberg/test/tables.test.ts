import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import { TableFiles } from '../src/server/storage/table-files.js';
import { located, mainText, namespacePath, schema, snapshotText, startCatalog } from './support/server.js';
import type { FaceResponse } from '@srv/lib-api/testing';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

const sales = (ref = 'main'): string => namespacePath('lake', ref, 'sales');
const tablePath = (name: string, ref = 'main'): string => `${sales(ref)}/tables/${name}`;

interface Loaded {
  readonly 'metadata-location': string;
  readonly metadata: {
    readonly 'table-uuid': string;
    readonly location: string;
    readonly 'format-version': number;
    readonly 'last-column-id': number;
    readonly 'current-snapshot-id'?: number;
    readonly properties: Readonly<Record<string, string>>;
    readonly schemas: readonly { readonly 'schema-id': number; readonly fields: readonly object[] }[];
    readonly 'metadata-log': readonly object[];
    readonly refs: Readonly<Record<string, object>>;
  };
}

const read = ({ status, body }: FaceResponse): Loaded => {
  assert.equal(status, 200, body);
  return JSON.parse(body) as Loaded;
};
const create = async (name: string, more: object = {}): Promise<Loaded> =>
  read(await server.call('POST', `${sales()}/tables`, { body: { name, schema, ...more } }));
const load = async (name: string, ref = 'main'): Promise<Loaded> => read(await server.call('GET', tablePath(name, ref)));
async function commit(name: string, updates: readonly (object | string)[], requirements: readonly object[] = [], ref = 'main') {
  const texts = updates.map(update => (typeof update === 'string' ? update : JSON.stringify(update)));
  const body = `{"requirements":${JSON.stringify(requirements)},"updates":[${texts.join(',')}]}`;
  return server.call('POST', tablePath(name, ref), { body: await located(server, tablePath(name, ref), body) });
}
const set = (name: string, value: string): object => ({ action: 'set-properties', updates: { [name]: value } });
const typeOf = ({ body }: FaceResponse): string => (JSON.parse(body) as { error: { type: string } }).error.type;

test('a new table has new field ids, a place of its own, and keeps its files from engines', async () => {
  const spec = { fields: [{ name: 'id_bucket', transform: 'bucket[4]', 'source-id': 7 }] };
  const { metadata, 'metadata-location': address } = await create('fresh', { 'partition-spec': spec, properties: { a: 'b' } });
  assert.deepEqual(metadata.schemas[0]?.fields, [
    { id: 1, name: 'id', required: true, type: 'long' },
    { id: 2, name: 'tags', required: false, type: { type: 'list', 'element-id': 3, element: 'string', 'element-required': true } },
  ]);
  assert.equal(metadata['last-column-id'], 3);
  assert.deepEqual(metadata.properties, { 'gc.enabled': 'false', a: 'b' });
  assert.equal(metadata.location, `s3://lake/.tables/sales/fresh-${metadata['table-uuid']}`);
  assert.match(address, /\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/);
  assert.equal(typeOf(await server.call('POST', `${sales()}/tables`, { body: { name: 'fresh', schema } })), 'AlreadyExistsException');
  const bad = await server.call('POST', `${sales()}/tables`, {
    body: { name: 'bad', schema, 'partition-spec': { fields: [{ name: 'x', transform: 'identity', 'source-id': 99 }] } },
  });
  assert.match(bad.body, /no field for x \(source-id 99\)/);
  const asking = await create('asking', { location: 'file:///etc' });
  assert.match(asking.metadata.location, /^s3:\/\/lake\/\.tables\/sales\/asking-/);
});

test('integers of 64 bits come back with all of their digits', async () => {
  await create('big');
  const id = '9223372036854775807';
  const answer = await commit(
    'big',
    [snapshotText(id, 1), mainText(id)],
    [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null }],
  );
  assert.equal(answer.status, 200, answer.body);
  assert.ok(answer.body.includes(`"current-snapshot-id":${id}`), answer.body);
  assert.ok((await server.call('GET', tablePath('big'))).body.includes(`"snapshot-id":${id}`));
  const wrong = await server.call('POST', tablePath('big'), {
    body: '{"requirements":[{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":9223372036854775806}],"updates":[]}',
  });
  assert.deepEqual([wrong.status, typeOf(wrong)], [409, 'CommitFailedException']);
});

test('an unchanged table is answered 304, by what was asked for', async () => {
  await create('cached');
  const first = await server.call('GET', tablePath('cached'));
  const etag = String(first.headers.etag);
  const again = (path: string, header = etag) => server.call('GET', path, { headers: { 'if-none-match': header } });
  assert.equal((await again(tablePath('cached'))).status, 304);
  // Proxies that compress make them weak.
  for (const header of [`W/${etag}`, `"x", ${etag}`, '*']) assert.equal((await again(tablePath('cached'), header)).status, 304, header);
  assert.equal((await again(`${tablePath('cached')}?snapshots=refs`)).status, 200);
  await commit('cached', [set('x', 'y')]);
  assert.equal((await again(tablePath('cached'))).status, 200);
});

test('updates that are not known or name what is not there are refused, and nothing changes', async () => {
  const { 'metadata-location': before } = await create('strict');
  for (const update of [
    { action: 'invent' },
    { action: 'set-current-schema', 'schema-id': 5 },
    { action: 'set-default-spec', 'spec-id': -1 },
    { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': 5 },
    { action: 'set-location', location: 's3://lake/.tables/other' },
    { action: 'upgrade-format-version', 'format-version': 1 },
    { action: 'upgrade-format-version', 'format-version': 9 },
    { action: 'assign-uuid', uuid: 'another' },
    { action: 'remove-schemas', 'schema-ids': [0] },
    { action: 'add-schema', schema: { type: 'struct' } },
    { action: '__proto__' },
  ]) {
    const answer = await commit('strict', [set('a', 'b'), update]);
    assert.deepEqual([answer.status, typeOf(answer)], [400, 'BadRequestException'], JSON.stringify(update));
  }
  assert.equal((await commit('strict', [], [{ type: 'assert-weather' }])).status, 400);
  assert.equal((await load('strict'))['metadata-location'], before);
});

test('a snapshot whose manifest list is not below the location of the table is refused with the address and the location', async () => {
  const { metadata, 'metadata-location': before } = await create('listed');
  const { location } = metadata;
  const other = (await create('another')).metadata.location;
  const lists = ['file:///etc/passwd', 's3://other/x.avro', '', location, `${location}x/x.avro`, `${other}/x.avro`, `${location}/../x.avro`, location.replace('lake', 'other') + '/x.avro', 'local://lake/tables/x.avro']; // biome-ignore format: a list
  const own = '"manifest-list":"<location>/none.avro"';
  const changes = lists.flatMap(list => [[list, `"manifest-list":${JSON.stringify(list)}`], [list, `${own},"manifests":[${JSON.stringify(list)}]`]] as const); // biome-ignore format: a list
  for (const [list, members] of changes) {
    const { status, body } = await commit('listed', [snapshotText('1', 1).replace(own, members)]);
    assert.equal(status, 400, body);
    const { message } = (JSON.parse(body) as { error: { message: string } }).error;
    assert.ok(message.includes(JSON.stringify(list)) && message.endsWith(`write it below ${location}/`), message);
  }
  assert.equal((await load('listed'))['metadata-location'], before);
  assert.equal((await commit('listed', [snapshotText('1', 1)])).status, 200);
});

test('a snapshot that a branch or tag of the table names is not removed', async () => {
  await create('kept');
  await commit('kept', [snapshotText('1', 1), mainText('1'), snapshotText('2', 2, '1'), mainText('2')]);
  await commit('kept', [{ action: 'set-snapshot-ref', 'ref-name': 'old', type: 'tag', 'snapshot-id': 1 }]);
  assert.match((await commit('kept', [{ action: 'remove-snapshots', 'snapshot-ids': [1] }])).body, /tag old of the table refers to it/);
  assert.equal(
    (
      await commit('kept', [
        { action: 'remove-snapshot-ref', 'ref-name': 'old' },
        { action: 'remove-snapshots', 'snapshot-ids': [1] },
      ])
    ).status,
    200,
  );
  assert.equal(typeOf(await commit('kept', [snapshotText('3', 2, '2')])), 'CommitFailedException');
});

test('a staged table is created by its first commit, once', async () => {
  const staged = await create('staged', { 'stage-create': true });
  assert.equal(staged['metadata-location'], undefined);
  assert.equal((await server.call('HEAD', tablePath('staged'))).status, 404);
  const { metadata } = staged;
  const updates = [
    { action: 'assign-uuid', uuid: metadata['table-uuid'] },
    { action: 'upgrade-format-version', 'format-version': 2 },
    { action: 'add-schema', schema: metadata.schemas[0], 'last-column-id': 3 },
    { action: 'set-current-schema', 'schema-id': -1 },
    { action: 'add-spec', spec: { 'spec-id': 0, fields: [] } },
    { action: 'set-default-spec', 'spec-id': -1 },
    { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
    { action: 'set-default-sort-order', 'sort-order-id': -1 },
    { action: 'set-location', location: metadata.location },
    set('made', 'so'),
  ];
  const create2 = (): Promise<FaceResponse> => commit('staged', updates, [{ type: 'assert-create' }]);
  const made = read(await create2());
  assert.deepEqual([made.metadata.location, made.metadata['table-uuid']], [metadata.location, metadata['table-uuid']]);
  assert.equal((await create2()).status, 409);
  assert.equal((await commit('never', updates)).status, 404);
});

test('a table changes with its branch: diff, commit, merge and tag work as for all objects', async () => {
  const { engine } = server;
  await create('shared');
  await engine.commit('lake', 'main', { message: 'tables', committer: 'test' });
  await engine.createBranch('lake', 'work', 'main');
  await engine.createTag('lake', 'before', 'main');
  assert.equal((await commit('shared', [set('from', 'work')], [], 'work')).status, 200);
  assert.equal((await load('shared')).metadata.properties['from'], undefined);
  const diff = await engine.diffUncommitted('lake', 'work');
  assert.deepEqual(
    diff.results.map(({ path, type }) => [type, path]),
    [['changed', '_lakefs_tables/iceberg/namespaces/sales/tables/shared']],
  );
  await engine.commit('lake', 'work', { message: 'changed', committer: 'test' });
  await engine.merge('lake', 'work', 'main', { committer: 'test' });
  assert.equal((await load('shared')).metadata.properties['from'], 'work');
  assert.equal((await load('shared', 'before')).metadata.properties['from'], undefined);
  assert.match((await commit('shared', [set('a', 'b')], [], 'before')).body, /not a branch/);
  assert.equal((await server.call('DELETE', tablePath('shared', 'work'))).status, 204);
  assert.equal((await load('shared')).metadata.properties['from'], 'work');
});

test('tables are renamed and registered within a branch', async () => {
  const { 'metadata-location': address } = await create('first');
  const name = (table: string, ref = 'main') => ({ namespace: ['lake', ref, 'sales'], name: table });
  const rename = (source: object, destination: object) => server.call('POST', '/tables/rename', { body: { source, destination } });
  assert.equal((await rename(name('first'), name('second'))).status, 204);
  assert.equal((await load('second'))['metadata-location'], address);
  assert.equal((await server.call('HEAD', tablePath('first'))).status, 404);
  await create('third');
  assert.equal(typeOf(await rename(name('second'), name('third'))), 'AlreadyExistsException');
  assert.equal(typeOf(await rename(name('none'), name('fourth'))), 'NoSuchTableException');
  assert.match((await rename(name('second'), name('second', 'dev'))).body, /merge the branch/);
  const register = (body: object) => server.call('POST', `${sales()}/register`, { body });
  assert.equal(read(await register({ name: 'again', 'metadata-location': address }))['metadata-location'], address);
  assert.equal((await register({ name: 'again', 'metadata-location': address })).status, 409);
  assert.equal((await register({ name: 'again', 'metadata-location': address, overwrite: true })).status, 200);
  for (const bad of ['s3://lake/main/x', 's3://other/.tables/x', 's3://lake/.tables/../x', 'file:///etc/passwd'])
    assert.match(
      (await register({ name: 'bad', 'metadata-location': bad })).body,
      /is not a file of a table|is an address in another repository/,
    );
  assert.equal((await register({ name: 'bad', 'metadata-location': 's3://lake/.tables/none.json' })).status, 404);
});

test('a table whose metadata names no branches has main at its current snapshot', async () => {
  const { metadata } = await create('branchless');
  const text = await located(server, tablePath('branchless'), `[${snapshotText('5', 1)},${snapshotText('6', 2, '5')}]`);
  const snapshots = (JSON.parse(text) as { snapshot: object }[]).map(({ snapshot }) => snapshot);
  const files = new TableFiles(server.kernel.services.get('block'));
  const repository = await server.engine.getRepository('lake');
  for (const [name, refs] of [
    ['none', undefined],
    ['tag', { old: { 'snapshot-id': 5, type: 'tag' } }],
  ] as const) {
    const written = { ...metadata, refs, snapshots, 'current-snapshot-id': 6, 'last-sequence-number': 2 };
    const address = `${metadata.location}/metadata/00001-${name}.metadata.json`;
    await files.write(repository, address, Buffer.from(JSON.stringify(written)));
    read(await server.call('POST', `${sales()}/register`, { body: { name, 'metadata-location': address } }));
    const asserted = [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': 6 }];
    const appended = await commit(name, [snapshotText('7', 3, '6').replaceAll('<location>', metadata.location), mainText('7')], asserted);
    assert.equal(read(appended).metadata['current-snapshot-id'], 7);
    assert.deepEqual((await load(name)).metadata.refs, { ...refs, main: { 'snapshot-id': 7, type: 'branch' } });
  }
});

test('commits of many clients to one table land once each, none is lost', async () => {
  await create('busy');
  const names = Array.from({ length: runCount(24, 64) }, (_, i) => `k${i}`);
  const answers = await Promise.all(
    names.map(async name => {
      for (;;) {
        const answer = await commit('busy', [set(name, 'x')]);
        if (answer.status !== 409) return answer.status;
      }
    }),
  );
  assert.deepEqual(new Set(answers), new Set([200]));
  const { properties, 'metadata-log': log } = (await load('busy')).metadata;
  assert.deepEqual(
    Object.keys(properties)
      .filter(name => name.startsWith('k'))
      .sort(),
    [...names].sort(),
  );
  assert.equal(log.length, names.length);
});

test('beyond maxUpdates: a commit is refused with the limit, one that removes more snapshots is not', async () => {
  const maxUpdates = 1000;
  await create('many');
  const updates = Array.from({ length: maxUpdates }, (_, i) => set('n', String(i)));
  assert.equal((await commit('many', updates)).status, 200);
  const refused = await commit('many', [...updates, set('n', 'one more')]);
  assert.deepEqual([refused.status, typeOf(refused)], [400, 'BadRequestException']);
  assert.match(refused.body, /a commit has at most 1000 updates of a table or a view, not 1001; make several commits/);
  assert.equal((await load('many')).metadata.properties['n'], String(maxUpdates - 1));
  const identifier = { namespace: ['lake', 'main', 'sales'], name: 'many' };
  const change = { identifier, requirements: [], updates: [...updates, set('n', '')] };
  assert.equal((await server.call('POST', '/transactions/commit', { body: { 'table-changes': [change] } })).status, 400);
  assert.equal((await server.call('POST', `${sales()}/views/none`, { body: change })).status, 400);

  const snapshots = ['1', '2', '3'].map(id => snapshotText(id, Number(id)));
  assert.equal((await commit('many', [...snapshots, mainText('3')])).status, 200);
  const removals = Array.from({ length: 2 * maxUpdates }, (_, i) => ({ action: 'remove-snapshots', 'snapshot-ids': [i + 1] }));
  const last = { action: 'remove-snapshots', 'snapshot-ids': [9] };
  const removed = await commit('many', [...removals.filter((_, i) => i !== 2), set('n', 'expired'), last]);
  const { metadata } = JSON.parse(removed.body) as { metadata: { snapshots: { 'snapshot-id': number }[]; properties: object } };
  assert.deepEqual(
    metadata.snapshots.map(snapshot => snapshot['snapshot-id']),
    [3],
  );
  assert.equal((await load('many')).metadata.properties['n'], 'expired');
});
