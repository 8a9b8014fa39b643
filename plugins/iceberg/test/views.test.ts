/** Views of branches. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
const by = { committer: 'test' };
const sales = namespacePath('lake', 'main', 'sales');
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

const version = (sql: string, dialect = 'spark') => ({
  'version-id': 1,
  'timestamp-ms': 1_700_000_000_000,
  'schema-id': 0,
  summary: {},
  representations: [{ type: 'sql', sql, dialect }],
  'default-namespace': ['sales'],
});

interface ViewAnswer {
  readonly 'metadata-location': string;
  readonly metadata: {
    readonly 'view-uuid': string;
    readonly 'current-version-id': number;
    readonly versions: readonly { readonly 'version-id': number; readonly representations: readonly { readonly sql: string }[] }[];
    readonly 'version-log': readonly { readonly 'version-id': number }[];
    readonly schemas: readonly unknown[];
    readonly properties: Readonly<Record<string, string>>;
  };
}

async function create(name: string, sql = 'SELECT 1', expected = 200): Promise<ViewAnswer> {
  const answer = await server.call('POST', `${sales}/views`, {
    body: { name, schema, 'view-version': version(sql), properties: { a: 'b' } },
  });
  assert.equal(answer.status, expected, answer.body);
  return JSON.parse(answer.body) as ViewAnswer;
}
async function replace(name: string, updates: readonly object[], requirements: readonly object[] = []) {
  return server.call('POST', `${sales}/views/${name}`, { body: { requirements, updates } });
}
const sqlUpdates = (sql: string, dialect?: string): readonly object[] => [
  { action: 'add-view-version', 'view-version': version(sql, dialect) },
  { action: 'set-current-view-version', 'view-version-id': -1 },
];
const load = async (name: string, ref = 'main'): Promise<ViewAnswer> =>
  JSON.parse((await server.call('GET', `${namespacePath('lake', ref, 'sales')}/views/${name}`)).body) as ViewAnswer;
const currentSql = ({ metadata }: ViewAnswer): string | undefined =>
  metadata.versions.find(found => found['version-id'] === metadata['current-version-id'])?.representations[0]?.sql;
const status = async (method: string, path: string, body?: object): Promise<number> =>
  (await server.call(method, path, body === undefined ? {} : { body })).status;

test('a view is created, loaded, replaced, listed, renamed and dropped, as changes of its branch', async () => {
  const made = await create('v');
  assert.deepEqual([made.metadata['current-version-id'], currentSql(made), made.metadata.properties], [1, 'SELECT 1', { a: 'b' }]);
  assert.deepEqual(await load('v'), made);
  assert.equal(await status('HEAD', `${sales}/views/v`), 204);
  await server.engine.commit('lake', 'main', { ...by, message: 'view' });
  await server.engine.createTag('lake', 'before', 'main');
  const uuid = { type: 'assert-view-uuid', uuid: made.metadata['view-uuid'] };
  assert.equal((await replace('v', sqlUpdates('SELECT 2'), [uuid])).status, 200);
  assert.equal(currentSql(await load('v')), 'SELECT 2');
  assert.equal(currentSql(await load('v', 'before')), 'SELECT 1');
  // The same query is the version that there was.
  assert.equal((await replace('v', sqlUpdates('SELECT 1'))).status, 200);
  const { metadata } = await load('v');
  assert.deepEqual([metadata['current-version-id'], metadata.versions.length, metadata['version-log'].length], [1, 2, 3]);
  await create('w');
  const { body } = await server.call('GET', `${sales}/views?pageSize=1&pageToken=`);
  assert.deepEqual(JSON.parse(body), { identifiers: [{ namespace: ['lake', 'main', 'sales'], name: 'v' }], 'next-page-token': 'v' });
  const named = (name: string) => ({ namespace: ['lake', 'main', 'sales'], name });
  assert.equal(await status('POST', '/views/rename', { source: named('v'), destination: named('w') }), 409);
  assert.equal(await status('POST', '/views/rename', { source: named('v'), destination: named('x') }), 204);
  assert.equal(await status('GET', `${sales}/views/v`), 404);
  assert.equal(currentSql(await load('x')), 'SELECT 1');
  for (const name of ['w', 'x']) assert.equal(await status('DELETE', `${sales}/views/${name}`), 204);
  assert.equal(await status('DELETE', `${sales}/views/x`), 404);
  assert.equal(await status('HEAD', `${sales}/views/x`), 404);
});

test('tables and views of a namespace have different names', async () => {
  await create('both');
  assert.match(
    (await server.call('POST', `${sales}/tables`, { body: { name: 'both', schema } })).body,
    /View with same name already exists: sales.both/,
  );
  assert.equal(await status('POST', `${sales}/tables`, { name: 'table', schema }), 200);
  await create('table', 'SELECT 1', 409);
  const named = (name: string) => ({ namespace: ['lake', 'main', 'sales'], name });
  assert.equal(await status('POST', '/tables/rename', { source: named('table'), destination: named('both') }), 409);
  assert.equal(await status('POST', '/views/rename', { source: named('both'), destination: named('table') }), 409);
  // A namespace with a view is not empty.
  await server.call('DELETE', `${sales}/tables/table`);
  assert.match((await server.call('DELETE', sales)).body, /NamespaceNotEmptyException/);
});

test('wrong changes are refused with reasons, and the view stays', async () => {
  const made = await create('kept');
  for (const [updates, reason] of [
    [[{ action: 'fly' }], /the update .*fly.* of a view is not known/],
    [[{ action: 'set-location', location: 's3://elsewhere' }], /the location of a view cannot be changed/],
    [[{ action: 'assign-uuid', uuid: 'other' }], /keeps it/],
    [[{ action: 'set-current-view-version', 'view-version-id': 7 }], /the view has no version 7/],
    [sqlUpdates('SELECT 1', 'trino'), /loss of view dialects: spark/],
    [[{ action: 'add-view-version', 'view-version': { ...version('x'), 'schema-id': 9 } }], /the view has no schema 9/],
    [[{ action: 'add-view-version' }], /needs a view-version/],
  ] as const) {
    const answer = await replace('kept', updates);
    assert.equal(answer.status, 400, answer.body);
    assert.match(answer.body, reason);
  }
  const stale = await replace('kept', sqlUpdates('SELECT 3'), [
    { type: 'assert-view-uuid', uuid: made.metadata['table-uuid' as never] ?? 'x' },
  ]);
  assert.equal(stale.status, 409);
  assert.deepEqual(await load('kept'), made);
  assert.equal(await status('POST', `${sales}/views`, { name: 'bare', schema }), 400);
  assert.equal(
    await status('POST', `${namespacePath('lake', 'main', 'none')}/views`, { name: 'v', schema, 'view-version': version('x') }),
    404,
  );
});

test('a view remembers as many versions as it says', async () => {
  await create('many');
  await replace('many', [{ action: 'set-properties', updates: { 'version.history.num-entries': '3' } }]);
  for (let i = 2; i < 8; i++) assert.equal((await replace('many', sqlUpdates(`SELECT ${i}`))).status, 200);
  const { metadata } = await load('many');
  assert.deepEqual(
    metadata.versions.map(found => found['version-id']),
    [5, 6, 7],
  );
  assert.deepEqual(
    metadata['version-log'].map(line => line['version-id']),
    [5, 6, 7],
  );
});

test('changes of many clients come one after the other', async () => {
  await create('busy');
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => replace('busy', [{ action: 'set-properties', updates: { [`p${i}`]: 'x' } }])),
  );
  const done = answers.filter(answer => answer.status === 200).length;
  assert.ok(answers.every(answer => answer.status === 200 || answer.status === 409));
  const names = Object.keys((await load('busy')).metadata.properties);
  assert.equal(names.filter(name => name.startsWith('p')).length, done);
});

test('rights of views are their own', async () => {
  await create('secret');
  const token = await addUser(server, 'reader', [
    { action: ['catalog:ListViews'], resource: 'arn:lakefs:catalog:::namespace/lake/*' },
    { action: ['catalog:ReadView'], resource: 'arn:lakefs:catalog:::view/lake/sales/busy' },
  ]);
  const as = async (method: string, path: string, body?: object) => server.call(method, path, { token, ...(body ? { body } : {}) });
  const listed = JSON.parse((await as('GET', `${sales}/views`)).body) as { identifiers: { name: string }[] };
  assert.deepEqual(
    listed.identifiers.map(({ name }) => name),
    ['busy'],
  );
  assert.equal((await as('GET', `${sales}/views/busy`)).status, 200);
  assert.equal((await as('GET', `${sales}/views/secret`)).status, 403);
  assert.equal((await as('DELETE', `${sales}/views/busy`)).status, 403);
  assert.equal((await as('POST', `${sales}/views`, { name: 'n', schema, 'view-version': version('x') })).status, 403);
});

test('a version that no reader loads is refused', async () => {
  const refused = async (reason: RegExp, changes: object, own: object = schema): Promise<void> => {
    const body = { name: 'bad', schema: own, 'view-version': { ...version('SELECT 1'), ...changes }, properties: {} };
    const answer = await server.call('POST', `${sales}/views`, { body });
    assert.equal(answer.status, 400, answer.body);
    assert.match(answer.body, reason);
  };
  await refused(/needs representations/, { representations: [] });
  await refused(/needs a type/, { representations: [{ sql: 'SELECT 1', dialect: 'spark' }] });
  await refused(/texts sql and dialect/, { representations: [{ type: 'sql', sql: 'SELECT 1' }] });
  await refused(/summary/, { summary: { a: 1 } });
  await refused(/default-namespace/, { 'default-namespace': 'sales' });
  await refused(/default-catalog/, { 'default-catalog': 5 });
  await refused(/type quux/, {}, { type: 'struct', fields: [{ id: 1, name: 'a', required: true, type: 'quux' }] });
  const other = {
    ...version('SELECT 1'),
    summary: null,
    representations: [
      { type: 'plan', plan: 'x' },
      { type: 'sql', sql: 'SELECT 1', dialect: 'trino' },
    ],
  };
  const made = await server.call('POST', `${sales}/views`, { body: { name: 'other', schema, 'view-version': other, properties: {} } });
  assert.equal(made.status, 200, made.body);
});
