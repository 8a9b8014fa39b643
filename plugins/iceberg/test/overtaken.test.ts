/** Changes of tables and views that others overtake between their writes, also with a commit of the branch. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { afterWrite, pointerPath } from './support/after-write.js';
import { located, mainText, namespacePath, schema, snapshotText, startCatalog } from './support/server.js';
import type { FaceResponse } from '@srv/lib-api/testing';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

type Kind = 'tables' | 'views';
const place = (name = '', ref = 'main', kind: Kind = 'tables'): string => `${namespacePath('lake', ref, 'sales')}/${kind}/${name}`;
const identifier = (name: string) => ({ namespace: ['lake', 'main', 'sales'], name });
const set = (value: string) => ({ requirements: [], updates: [{ action: 'set-properties', updates: { n: value } }] });
const ok = (answer: FaceResponse): void => assert.ok(answer.status < 300, `${answer.status} ${answer.body}`);
const create = async (name: string): Promise<void> => ok(await server.call('POST', place().slice(0, -1), { body: { name, schema } }));
async function createView(name: string): Promise<void> {
  const version = {
    'version-id': 1,
    'timestamp-ms': 1_700_000_000_000,
    'schema-id': 0,
    summary: {},
    representations: [{ type: 'sql', sql: 'SELECT 1', dialect: 'spark' }],
    'default-namespace': ['sales'],
  };
  ok(
    await server.call('POST', place('', 'main', 'views').slice(0, -1), { body: { name, schema, 'view-version': version, properties: {} } }),
  );
}
/** In a transaction, which takes no turns with the change that it overtakes. */
const overtake = async (name: string, value: string): Promise<void> =>
  ok(await server.call('POST', '/transactions/commit', { body: { 'table-changes': [{ identifier: identifier(name), ...set(value) }] } }));
const commitBranch = async (): Promise<string> =>
  (await server.engine.commit('lake', 'main', { message: 'between', committer: 'test' })).id;

interface Loaded {
  readonly 'metadata-location': string;
  readonly metadata: { readonly properties: Record<string, string>; readonly 'current-snapshot-id'?: number };
}
async function load(path: string): Promise<Loaded> {
  const answer = await server.call('GET', path);
  ok(answer);
  return JSON.parse(answer.body) as Loaded;
}
const valueAt = async (path: string): Promise<string | undefined> => (await load(path)).metadata.properties['n'];

for (const kind of ['tables', 'views'] as const)
  test(`${kind}: a change that a commit of the branch took stays readable there when what it changed is dropped at once`, async t => {
    await (kind === 'tables' ? create('dropped') : createView('dropped'));
    let commit = '';
    afterWrite(t, server, pointerPath('dropped', kind), async () => {
      commit = await commitBranch();
      ok(await server.call('DELETE', place('dropped', 'main', kind)));
    });
    assert.equal((await server.call('POST', place('dropped', 'main', kind), { body: set('mine') })).status, 404);
    t.mock.restoreAll();
    assert.equal(await valueAt(place('dropped', commit, kind)), 'mine');
  });

test('an append that a commit of the branch took, and that another change overtook, is answered once, with success', async t => {
  await create('appended');
  let commit = '';
  afterWrite(t, server, pointerPath('appended'), async () => {
    commit = await commitBranch();
    await overtake('appended', 'other');
  });
  const requirements = '[{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}]';
  const body = `{"requirements":${requirements},"updates":[${snapshotText('5', 1)},${mainText('5')}]}`;
  ok(await server.call('POST', place('appended'), { body: await located(server, place('appended'), body) }));
  t.mock.restoreAll();
  for (const ref of ['main', commit]) assert.equal((await load(place('appended', ref))).metadata['current-snapshot-id'], 5, ref);
  assert.equal(await valueAt(place('appended')), 'other');
});

test('a creation that a commit of the branch took, and that a change overtook, is answered with success', async t => {
  afterWrite(t, server, pointerPath('created'), async () => {
    await commitBranch();
    await overtake('created', 'other');
  });
  await create('created');
  assert.equal(await valueAt(place('created')), 'other');
});

test('a table that is registered over another one, and changed at once, is answered with success', async t => {
  await create('replaced');
  await create('replacing');
  const { 'metadata-location': address } = await load(place('replacing'));
  afterWrite(t, server, pointerPath('replaced'), async () => {
    await commitBranch();
    await overtake('replaced', 'other');
  });
  const body = { name: 'replaced', 'metadata-location': address, overwrite: true };
  ok(await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/register`, { body }));
  assert.equal(await valueAt(place('replaced')), 'other');
});
