/** Tables that both sides of a merge changed. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { plainText } from '../src/server/exact-json.js';
import { summaryOf } from '../src/server/merge/history.js';
import { tablePath } from '../src/server/names.js';
import { changedTables } from '../src/server/shown-table.js';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import type { Engine } from '@srv/engine/contract';
import type { Tables } from '../src/server/tables.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
let data: TableData;
let count = 0;
let name = '';
const by = { committer: 'test' };

before(async () => {
  server = await startCatalog();
  data = new TableData(server);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

/** A table of its own with the file `base` on main, and a branch of its name. */
beforeEach(async () => {
  name = `t${++count}`;
  await create('main');
  await data.append(on('main'), ['base']);
  await commit('main');
  await server.engine.createBranch('lake', name, 'main');
});

const on = (ref: string) => ({ ref, name });
const create = async (ref: string, properties: Record<string, string> = {}): Promise<void> => {
  const answer = await server.call('POST', `${namespacePath('lake', ref, 'sales')}/tables`, { body: { name, schema, properties } });
  assert.equal(answer.status, 200, answer.body);
};
const commit = (ref: string) => server.engine.commit('lake', ref, { ...by, message: ref });
const merge = (from = name, into = 'main', more = {}) => server.engine.merge('lake', from, into, { ...by, ...more });
const setProperties = (ref: string, updates: Record<string, string>) => data.update(on(ref), [{ action: 'set-properties', updates }]);
async function commitBoth(): Promise<void> {
  await commit('main');
  await commit(name);
}
const preview = async (): Promise<readonly string[]> => {
  const { results } = await server.engine.diff('lake', 'main', name, { prefix: '_lakefs_tables/' });
  return results.map(({ type }) => type);
};
async function conflicts(reason: RegExp, merging: () => Promise<unknown> = merge): Promise<void> {
  await assert.rejects(merging, error => {
    assert.ok(isSrvError(error, 'conflict'), String(error));
    assert.match(error.message, reason);
    assert.match(error.message, new RegExp(`table sales\\.${name}: `));
    return true;
  });
}

test('appends of both sides are read, in the order of the merge, with ascending sequence numbers', async () => {
  const first = await data.append(on('main'), ['m1', 'm2']);
  const own = await data.append(on(name), ['d1']);
  await data.append(on(name), ['d2']);
  await commitBoth();
  assert.deepEqual(await preview(), ['changed']);
  await merge();
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd1', 'd2', 'm1', 'm2']);
  assert.deepEqual(await data.filesAt(on(name)), ['base', 'd1', 'd2']);
  assert.deepEqual(await data.filesAt(on('main'), first), ['base', 'm1', 'm2']);
  const { metadata, location } = await data.load(on('main'));
  assert.deepEqual(
    metadata.snapshots.map(snapshot => snapshot['sequence-number']),
    [1, 2, 3, 4],
  );
  assert.deepEqual(metadata['snapshot-log'].length, 4);
  assert.equal(summaryOf(metadata.snapshots[2] ?? assert.fail())['source-snapshot-id'], String(own));
  assert.notEqual(plainText(metadata.snapshots[2]?.['snapshot-id']), String(own));
  assert.match(location, /\/00003-[^/]*\.metadata\.json$/);
  assert.equal(metadata['metadata-log'].length, 3);
  // The entries of the repeated snapshot are its own.
  const [manifest] = await data.manifests(metadata.snapshots[2] ?? assert.fail());
  assert.equal(manifest?.snapshotId, BigInt(metadata.snapshots[2]?.['snapshot-id'] ?? 0));
  assert.equal(manifest?.sequence, 3n);
});

test('merging again adds only what is new, in both directions and after a squash', async () => {
  await data.append(on('main'), ['m1']);
  await data.append(on(name), ['d1']);
  await commitBoth();
  await merge(name, 'main', { squash: true });
  await data.append(on(name), ['d2']);
  await commit(name);
  await merge();
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd1', 'd2', 'm1']);
  await data.append(on('main'), ['m2']);
  await data.append(on(name), ['d3']);
  await commitBoth();
  await merge('main', name);
  assert.deepEqual(await data.filesAt(on(name)), ['base', 'd1', 'd2', 'd3', 'm1', 'm2']);
  await merge();
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd1', 'd2', 'd3', 'm1', 'm2']);
});

test('a commit that appended is picked onto a branch that appended, and what was picked is not added again', async () => {
  await data.append(on('main'), ['m1']);
  await data.append(on(name), ['d1']);
  await commitBoth();
  await data.append(on(name), ['d2']);
  const picked = await commit(name);
  await server.engine.cherryPick('lake', 'main', { ...by, ref: picked.id });
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd2', 'm1']);
  await merge();
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd1', 'd2', 'm1']);
});

test('an append that the destination rolled back does not return with the source that had merged it', async () => {
  const { metadata } = await data.load(on('main'));
  await data.append(on('main'), ['m1']);
  await data.append(on(name), ['d1']);
  await commitBoth();
  await merge('main', name);
  await data.update(on('main'), [
    { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': metadata['current-snapshot-id'] ?? 0 },
  ]);
  await data.append(on(name), ['d2']);
  await commitBoth();
  await merge();
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd1', 'd2']);
});

for (const side of ['destination', 'source'])
  test(`a compaction of the ${side} and appends of the other side are both there`, async () => {
    const [compacting, appending] = side === 'destination' ? ['main', name] : [name, 'main'];
    await data.append(on(compacting), ['c1']);
    await data.compact(on(compacting), ['base', 'c1'], 'compact');
    await data.append(on(compacting), ['c2']);
    await data.append(on(appending), ['a1']);
    await commitBoth();
    assert.deepEqual(await preview(), ['changed']);
    await merge();
    assert.deepEqual(await data.filesAt(on('main')), ['a1', 'c2', 'compact']);
  });

test('compactions of different files are both there, those of the same file conflict', async () => {
  await data.append(on('main'), ['m1', 'm2']);
  await commit('main');
  await merge('main', name);
  await data.compact(on('main'), ['base'], 'main1');
  await data.compact(on(name), ['m1', 'm2'], 'dev1');
  await commitBoth();
  await merge();
  assert.deepEqual(await data.filesAt(on('main')), ['dev1', 'main1']);
  await data.compact(on('main'), ['dev1'], 'main2');
  await data.compact(on(name), ['base', 'dev1'], 'dev2');
  await commitBoth();
  await conflicts(/the source's snapshot \d+ compacts (base|dev1), which the destination does not have any longer$/);
  assert.deepEqual(await preview(), ['conflict']);
});

test('overwriting and deleting conflict with every change of the other side, and the reasons name the snapshots', async () => {
  const written = await data.compact(on('main'), ['base'], 'over', 'overwrite');
  const deleted = await data.compact(on(name), ['base'], 'rest', 'delete');
  await commitBoth();
  await conflicts(new RegExp(`snapshot ${written} of the destination is an overwrite, .*; snapshot ${deleted} of the source is a delete`));
  assert.deepEqual(await preview(), ['conflict']);
  const answer = await server.call('POST', `/api/v1/repositories/lake/refs/${name}/merge/main`);
  assert.equal(answer.status, 409);
  assert.match(answer.body, /"reference":"","message":"conflict found: table sales/);
  await merge(name, 'main', { strategy: 'source-wins' });
  assert.deepEqual(await data.filesAt(on('main')), ['rest']);
});

for (const side of ['destination', 'source'])
  test(`a snapshot of the ${side} that has expired conflicts, and the reason says so`, async () => {
    const ref = side === 'source' ? name : 'main';
    const expired = await data.append(on(ref), ['one']);
    await data.append(on(ref), ['two']);
    await data.update(on(ref), [{ action: 'remove-snapshots', 'snapshot-ids': [expired] }]);
    await data.append(on(ref === 'main' ? name : 'main'), ['other']);
    await commitBoth();
    await conflicts(new RegExp(`snapshot ${expired} of the ${side} has expired, .* merge before snapshots expire, or .* --strategy`));
  });

test('a table that one side overwrote is taken as it is, with properties of the other side', async () => {
  await setProperties('main', { owner: 'ann' });
  const written = await data.compact(on(name), ['base'], 'over', 'overwrite');
  await commitBoth();
  await merge();
  const { metadata } = await data.load(on('main'));
  assert.deepEqual([metadata.properties['owner'], metadata['current-snapshot-id']], ['ann', written]);
  assert.deepEqual(await data.filesAt(on('main')), ['over']);
});

test('parts of a table that different sides changed are merged, the same part in different ways conflicts', async () => {
  const column = { id: 12, name: 'note', required: false, type: 'string' };
  const { metadata: before } = await data.load(on('main'));
  const wider = { ...before.schemas[0], fields: [...(before.schemas[0]?.fields ?? []), column] };
  const evolve = (ref: string, name: string) =>
    data.update(on(ref), [
      { action: 'add-schema', schema: { ...wider, fields: wider.fields.map(field => (field === column ? { ...column, name } : field)) } },
      { action: 'set-current-schema', 'schema-id': -1 },
    ]);
  await evolve('main', 'note');
  await setProperties('main', { a: 'main', both: 'same' });
  await setProperties(name, { b: 'dev', both: 'same' });
  await data.append(on(name), ['d1']);
  await commitBoth();
  await merge();
  const { metadata } = await data.load(on('main'));
  const { a, b, both } = metadata.properties;
  assert.deepEqual({ a, b, both }, { a: 'main', b: 'dev', both: 'same' });
  assert.equal(metadata.schemas.length, 2);
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'd1']);
  await merge('main', name);
  await setProperties('main', { a: '1' });
  await setProperties(name, { a: '2' });
  await data.update(on('main'), [{ action: 'upgrade-format-version', 'format-version': 3 }]);
  await commitBoth();
  await conflicts(/both changed the property a/);
});

test('different columns of both sides conflict', async () => {
  const { metadata } = await data.load(on('main'));
  for (const ref of ['main', name])
    await data.update(on(ref), [
      {
        action: 'add-schema',
        schema: {
          ...metadata.schemas[0],
          fields: [...(metadata.schemas[0]?.fields ?? []), { id: 12, name: ref, required: false, type: 'string' }],
        },
      },
      { action: 'set-current-schema', 'schema-id': -1 },
    ]);
  await commitBoth();
  await conflicts(/both changed the schema/);
});

test('a table that one side dropped, replaced or rolled back conflicts', async () => {
  const drop = (ref: string) => server.call('DELETE', `${namespacePath('lake', ref, 'sales')}/tables/${name}`);
  const snapshot = await data.append(on('main'), ['m1']);
  await commit('main');
  await merge('main', name);
  await data.append(on('main'), ['m2']);
  const { metadata } = await data.load(on(name));
  await data.update(on(name), [
    { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': metadata.snapshots[0]?.['snapshot-id'] ?? 0 },
  ]);
  await commitBoth();
  await conflicts(new RegExp(`the source does not have snapshot ${snapshot} any longer`));
  await drop(name);
  await commit(name);
  await conflicts(/the source dropped it, the destination has changed it since \(UUID [-0-9a-f]+, snapshot \d+\)/);
  await create(name);
  await commit(name);
  await conflicts(/the destination and the source have different tables of this name/);
});

test('branches and tags of a table are merged, those that lead elsewhere conflict', async () => {
  const tag = (ref: string, tagged: string, id: bigint) =>
    data.update(on(ref), [{ action: 'set-snapshot-ref', 'ref-name': tagged, type: 'tag', 'snapshot-id': id }]);
  await tag('main', 'm', await data.append(on('main'), ['m1']));
  await tag(name, 'd', await data.append(on(name), ['d1']));
  await commitBoth();
  await merge();
  const { refs } = (await data.load(on('main'))).metadata;
  assert.deepEqual(Object.keys(refs).sort(), ['d', 'm', 'main']);
  assert.equal(plainText(refs['d']?.['snapshot-id']), plainText(refs['main']?.['snapshot-id']));
  await tag('main', 'm', await data.append(on('main'), ['m2']));
  await tag(name, 'm', await data.append(on(name), ['d2']));
  await commitBoth();
  await conflicts(/both changed the ref m of the table/);
});

test('snapshots of format version 3 get the next row ids', async () => {
  for (const ref of ['main']) await data.update(on(ref), [{ action: 'upgrade-format-version', 'format-version': 3 }]);
  await commit('main');
  await merge('main', name);
  await data.append(on('main'), ['m1', 'm2']);
  await data.append(on(name), ['d1']);
  await commitBoth();
  await merge();
  const { metadata } = await data.load(on('main'));
  const last = metadata.snapshots.at(-1);
  assert.deepEqual([last?.['first-row-id'], last?.['added-rows']], [2, 4]);
  assert.equal(metadata['next-row-id'], 6);
  const first = (await data.manifests(last ?? assert.fail())).map(({ firstRowId }) => firstRowId);
  assert.equal(new Set(first).size, first.length);
});

test('a table that one side registered in another folder conflicts with snapshots and files of the other', async () => {
  const { location, metadata } = await data.load(on('main'));
  const folder = (of: string): string => join(server.home, 'block', 'lake', 'tables', of);
  await cp(folder(metadata.location.slice('s3://lake/.tables/'.length)), folder(`moved-${name}`), { recursive: true });
  const moved = location.replace(metadata.location, `s3://lake/.tables/moved-${name}`);
  const text = (await data.read(location)).toString();
  await data.write(moved, Buffer.from(text.replaceAll(metadata.location, `s3://lake/.tables/moved-${name}`)));
  const answer = await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/register`, {
    body: { name, 'metadata-location': moved, overwrite: true },
  });
  assert.equal(answer.status, 200, answer.body);
  await data.append(on(name), ['d1']);
  await commitBoth();
  const reason = /files of the destination are at s3:\S+, those of the source at s3:\S+; .*cli iceberg rewrite .* merge again$/;
  await conflicts(reason);
  await conflicts(reason, () => merge('main', name));
  assert.deepEqual(await preview(), ['conflict']);
});

test('a manifest that cannot be read is a conflict that names it', async () => {
  await data.append(on('main'), ['m1']);
  await data.append(on(name), ['d1']);
  const { metadata } = await data.load(on(name));
  const manifest = (await data.manifests(metadata.snapshots.at(-1) ?? assert.fail())).at(-1);
  await commitBoth();
  const repository = await server.engine.getRepository('lake');
  const block = server.kernel.services.get('block');
  const identifier = `tables/${manifest?.path.slice('s3://lake/.tables/'.length)}`;
  await block.put({ namespace: repository.storageNamespace, identifier, identifierType: 1 }, Buffer.from('Obj\u0001nothing'));
  await conflicts(/s3:\/\/lake\/\.tables\/\S+-m0\.avro cannot be read: it ends within a value/);
});

test('beyond maxHeld: the manifests of a merge are made again when it is carried out', async t => {
  const large = Array.from({ length: 12 }, () => randomBytes(3 << 18).toString('base64url'));
  await data.append(on('main'), ['m1']);
  await data.append(on(name), large);
  await commitBoth();
  const { metadata } = await data.load(on(name));
  const manifest = (await data.manifests(metadata.snapshots.at(-1) ?? assert.fail())).at(-1);
  const block = server.kernel.services.get('block');
  const get = block.get.bind(block);
  let reads = 0;
  t.mock.method(block, 'get', (...args: Parameters<typeof get>) => {
    if (manifest?.path.endsWith(args[0].identifier.slice('tables/'.length))) reads++;
    return get(...args);
  });
  await merge();
  t.mock.restoreAll();
  assert.equal(reads, 2);
  assert.deepEqual(await data.filesAt(on('main')), ['base', 'm1', ...large].sort());
});

test('a comparison of many tables reads a few at a time, and keeps their order', async () => {
  const path = (table: string): string => tablePath({ namespace: ['sales'], table });
  const results = Array.from({ length: 20 }, (_, i) => ({ type: 'changed', path: path(`t${i}`) }));
  const engine = { diff: async () => ({ results, hasMore: false, nextOffset: '' }) } as unknown as Engine;
  let [running, most] = [0, 0];
  const tables = {
    async load() {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return { metadata: { snapshots: [] } };
    },
  } as unknown as Tables;
  const compared = await changedTables(engine, tables, { repository: 'lake', left: 'main', right: 'dev', type: 'two_dot' });
  assert.deepEqual(
    compared.results.map(({ name }) => name),
    results.map((_, i) => `t${i}`),
  );
  // Two sides of each.
  assert.equal(most, 8);
});
