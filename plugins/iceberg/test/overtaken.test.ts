/** Changes of tables and views that others overtake between their writes, also with a commit of the branch. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SrvError } from '@srv/kernel';
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
const viewBody = {
  schema,
  'view-version': {
    'version-id': 1,
    'timestamp-ms': 1_700_000_000_000,
    'schema-id': 0,
    summary: {},
    representations: [{ type: 'sql', sql: 'SELECT 1', dialect: 'spark' }],
    'default-namespace': ['sales'],
  },
  properties: {},
};
const createView = async (name: string): Promise<void> =>
  ok(await server.call('POST', place('', 'main', 'views').slice(0, -1), { body: { name, ...viewBody } }));
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

test('a change that a fault stops is refused while it surely has not happened, and may have happened after that', async t => {
  await create('faulty');
  await createView('faulty_view');
  const { engine, kernel } = server;
  const block = kernel.services.get('block');
  const away = (): never => {
    throw new SrvError('unavailable', 'the database is away');
  };
  const put = engine.putObject.bind(engine);
  const faults: Readonly<Record<string, () => unknown>> = {
    'reading the pointer': () => t.mock.method(engine, 'getEntry', away),
    'writing the metadata file': () => t.mock.method(block, 'put', away),
    'checking the write of the pointer': () => t.mock.method(engine, 'checkWrite', away),
    'a write of the pointer that did not begin': () =>
      t.mock.method(engine, 'putObject', () => {
        throw new SrvError('slow_down', 'busy', { details: { unwritten: true } });
      }),
  };
  for (const path of [place('faulty'), place('faulty_view', 'main', 'views')]) {
    for (const [what, fail] of Object.entries(faults)) {
      fail();
      const { status, body } = await server.call('POST', path, { body: set(what) });
      t.mock.restoreAll();
      const { error } = JSON.parse(body) as { error: { type: string; message: string } };
      assert.deepEqual([status, error.type], [409, 'CommitFailedException'], `${path} ${what} ${body}`);
      assert.match(error.message, /cannot be reached|Slow down/);
      assert.equal(await valueAt(path), undefined, what);
    }
    t.mock.method(engine, 'putObject', async (...args: Parameters<typeof put>) => {
      await put(...args);
      away();
    });
    const { status, headers } = await server.call('POST', path, { body: set('written') });
    t.mock.restoreAll();
    assert.deepEqual([status, headers['retry-after']], [503, '1']);
    assert.equal(await valueAt(path), 'written');
  }
});

const rename = (from: string, to: string, kind: Kind = 'tables') =>
  server.call('POST', `/${kind}/rename`, { body: { source: identifier(from), destination: identifier(to) } });
const change = async (name: string, value: string, kind: Kind): Promise<void> =>
  ok(await server.call('POST', place(name, 'main', kind), { body: set(value) }));

for (const kind of ['tables', 'views'] as const) {
  const [old, next, given, taken] = [`old_${kind}`, `next_${kind}`, `given_${kind}`, `taken_${kind}`] as const;
  const make = (name: string): Promise<void> => (kind === 'tables' ? create(name) : createView(name));

  test(`${kind}: renaming takes back no change that others made under the new name`, async t => {
    await make(old);
    afterWrite(t, server, pointerPath(next, kind), async () => {
      await change(old, 'under the old name', kind);
      await change(next, 'under the new name', kind);
    });
    assert.equal((await rename(old, next, kind)).status, 409);
    t.mock.restoreAll();
    assert.equal(await valueAt(place(old, 'main', kind)), 'under the old name');
    assert.equal(await valueAt(place(next, 'main', kind)), 'under the new name');
  });

  test(`${kind}: renaming takes the new name back when only the old one was changed, or dropped`, async t => {
    for (const isDropped of [false, true]) {
      await make('first');
      afterWrite(t, server, pointerPath('second', kind), async () => {
        if (isDropped) ok(await server.call('DELETE', place('first', 'main', kind)));
        else await change('first', 'mine', kind);
      });
      assert.equal((await rename('first', 'second', kind)).status, 409);
      t.mock.restoreAll();
      assert.equal((await server.call('HEAD', place('second', 'main', kind))).status, 404);
      if (!isDropped) ok(await server.call('DELETE', place('first', 'main', kind)));
    }
  });

  test(`${kind}: a rename whose old name is given to another one at once keeps the new name`, async t => {
    await make(given);
    await change(given, 'mine', kind);
    afterWrite(t, server, pointerPath(taken, kind), async () => {
      // The next write of the old name is the removal.
      afterWrite(t, server, pointerPath(given, kind), async () => {
        await commitBranch();
        await make(given);
      });
    });
    ok(await rename(given, taken, kind));
    t.mock.restoreAll();
    assert.equal(await valueAt(place(taken, 'main', kind)), 'mine');
    assert.equal(await valueAt(place(given, 'main', kind)), undefined);
  });

  test(`${kind}: a new one that others change while its namespace is dropped stays, and so does the namespace`, async t => {
    const inside = namespacePath('lake', 'main', 'brief');
    ok(await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'brief'] } }));
    const path = `_lakefs_tables/iceberg/namespaces/brief/${kind}/new`;
    const { engine } = server;
    afterWrite(t, server, path, async () => {
      ok(await server.call('POST', `${inside}/${kind}/new`, { body: set('mine') }));
      await engine.deleteObject('lake', 'main', '_lakefs_tables/iceberg/namespaces/brief/namespace.json');
    });
    ok(await server.call('POST', `${inside}/${kind}`, { body: { name: 'new', ...(kind === 'tables' ? { schema } : viewBody) } }));
    t.mock.restoreAll();
    assert.equal(await valueAt(`${inside}/${kind}/new`), 'mine');
    ok(await server.call('HEAD', inside));
    ok(await server.call('DELETE', `${inside}/${kind}/new`));
  });
}
