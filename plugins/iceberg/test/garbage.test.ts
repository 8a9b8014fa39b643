/** Files of tables that nothing reaches. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import { NameSet } from '../src/server/garbage/name-set.js';
import { ReachedFiles } from '../src/server/garbage/reached-files.js';
import { afterWrite, pointerPath } from './support/after-write.js';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import { ageless, collect, testHistories } from './support/table-model.js';
import type { CatalogServer } from './support/server.js';

const by = { committer: 'test' };
let server: CatalogServer;
let data: TableData;

before(async () => {
  server = await startCatalog(ageless, ['gc']);
  data = new TableData(server);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

const create = async (name: string, ref = 'main'): Promise<void> => {
  const answer = await server.call('POST', `${namespacePath('lake', ref, 'sales')}/tables`, { body: { name, schema } });
  assert.equal(answer.status, 200, answer.body);
};
const drop = (name: string, ref = 'main') => server.call('DELETE', `${namespacePath('lake', ref, 'sales')}/tables/${name}`);
const isThere = async (address: string): Promise<boolean> =>
  data.read(address).then(
    () => true,
    () => false,
  );

/** A table with one data file. @returns the address of the file and its folder. */
async function filled(name: string): Promise<{ readonly file: string; readonly location: string }> {
  await create(name);
  const table = { ref: 'main', name };
  const { location } = (await data.load(table)).metadata;
  const file = `${location}/data/1.parquet`;
  await data.write(file, Buffer.from('rows'));
  await data.append(table, [file]);
  return { file, location };
}

testHistories(() => ({ server }), { rounds: runCount(1, 3), steps: 30 });

test('a dropped table stays as long as a branch, a tag or a commit has it', async () => {
  const { file } = await filled('dropped');
  await server.engine.commit('lake', 'main', { ...by, message: 'table' });
  await drop('dropped');
  await collect(server, 'lake');
  assert.ok(await isThere(file));
  await server.engine.resetBranch('lake', 'main', { type: 'all' });
  assert.deepEqual(await data.filesAt({ ref: 'main', name: 'dropped' }), [file]);
});

test('a table that was never committed goes when it is dropped, all of it', async () => {
  const { file } = await filled('draft');
  await collect(server, 'lake');
  assert.ok(await isThere(file));
  await drop('draft');
  const dry = await collect(server, 'lake', { mode: 'dry_run' });
  assert.ok(dry.other_files >= 5, JSON.stringify(dry));
  assert.ok(await isThere(file));
  const run = await collect(server, 'lake');
  assert.equal(run.other_files, dry.other_files);
  assert.ok(!(await isThere(file)));
});

test('files younger than the margin stay', async () => {
  const young = await startCatalog({ 'gc.min_age': '25h' }, ['gc']);
  try {
    const files = new TableData(young);
    await files.write('s3://lake/.tables/orphan/data/1.parquet', Buffer.from('rows'));
    assert.equal((await collect(young, 'lake')).other_files, 0);
    assert.ok(await files.read('s3://lake/.tables/orphan/data/1.parquet'));
  } finally {
    await young.stop();
  }
});

test('files in quarantine can be restored', async () => {
  const { file } = await filled('quarantined');
  await drop('quarantined');
  await collect(server, 'lake', { quarantine_days: 7 });
  assert.ok(!(await isThere(file)));
  const { body } = await server.call('GET', '/api/v1/repositories/lake/gc/runs?amount=1');
  const [{ id }] = (JSON.parse(body) as { results: [{ id: string }] }).results;
  const restored = await server.call('POST', `/api/v1/repositories/lake/gc/runs/${id}/restore`, {
    body: {},
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(restored.status, 200, restored.body);
  assert.ok(await isThere(file));
});

test('files whose addresses have empty parts are read and stay, on stores that keep these and on folders', async () => {
  const { location } = await filled('slashes');
  const table = { ref: 'main', name: 'slashes' };
  const spelled = `${location}//data//2.parquet`;
  await data.write(spelled, Buffer.from('rows'));
  await data.append(table, [spelled]);
  await collect(server, 'lake');
  assert.ok(await isThere(spelled));
  await drop('slashes');

  const repository = await server.engine.getRepository('lake');
  const options = { repository, files: data.files, signal: new AbortController().signal, report: assert.fail };
  const inStore = { ...repository, storageNamespace: 's3://bucket/lake' };
  for (const [of, address] of [
    [repository, 's3://lake/.tables/sales/books//data/f%20g'],
    [inStore, 's3://bucket/lake/tables/sales/books//data/f%20g'],
  ] as const) {
    const reached = new ReachedFiles({ ...options, repository: of });
    reached.keep(address);
    const names = ['books//data/f%20g', 'books//data/f g', 'books/data/f g', 'books//data//f g'];
    assert.deepEqual(
      names.map(name => reached.has(`sales/${name}`)),
      [true, true, true, false],
    );
  }
});

for (const [what, pick] of [
  ['metadata file', async (name: string) => (await data.load({ ref: 'main', name })).location],
  ['manifest list', async (name: string) => String((await data.load({ ref: 'main', name })).metadata.snapshots[0]?.['manifest-list'])],
  [
    'manifest',
    async (name: string) => {
      const { metadata } = await data.load({ ref: 'main', name });
      return (await data.manifests(metadata.snapshots[0] ?? assert.fail()))[0]?.path ?? '';
    },
  ],
] as const)
  test(`a ${what} that cannot be read keeps its table, other tables are collected, and the run says so`, async () => {
    const name = what.replace(' ', '_');
    const { file, location } = await filled(name);
    const other = await filled(`${name}_other`);
    const orphan = `${location}/data/orphan.parquet`;
    await data.write(orphan, Buffer.from('rows'));
    const broken = await pick(name);
    const whole = await data.read(broken);
    await data.write(broken, Buffer.from('{'));
    await drop(`${name}_other`);
    const { phase, error } = await collect(server, 'lake');
    assert.equal(phase, 'done');
    assert.match(error ?? '', new RegExp(`^nothing of ${location}/ was removed: ${broken}: `));
    assert.deepEqual(await Promise.all([file, orphan, other.file].map(isThere)), [true, true, false]);
    await data.write(broken, whole);
    assert.equal((await collect(server, 'lake')).error, undefined);
    assert.deepEqual(await Promise.all([file, orphan].map(isThere)), [true, false]);
    assert.deepEqual(await data.filesAt({ ref: 'main', name }), [file]);
    await drop(name);
  });

test('a pointer that is not one keeps all files of tables', async () => {
  const path = '_lakefs_tables/iceberg/namespaces/sales/tables/broken';
  await server.engine.putObject('lake', 'main', path, Buffer.from('not a pointer'));
  await data.write('s3://lake/.tables/orphan/data/1.parquet', Buffer.from('rows'));
  const { phase, error, other_files: removed } = await collect(server, 'lake');
  assert.deepEqual([phase, removed], ['done', 0]);
  assert.match(error ?? '', /files of plugins were not collected: the pointer lake\/_lakefs_tables.*broken at \S+ cannot be read/);
  await server.engine.deleteObject('lake', 'main', path);
  await collect(server, 'lake');
  assert.ok(!(await isThere('s3://lake/.tables/orphan/data/1.parquet')));
});

test('a refused transaction that a commit of the branch has halfway leaves the table readable there, and collected', async t => {
  const { file, location } = await filled('halfway');
  let commit = '';
  afterWrite(t, server, pointerPath('halfway'), async () => {
    commit = (await server.engine.commit('lake', 'main', { ...by, message: 'halfway' })).id;
  });
  const changes = [
    { name: 'halfway', requirements: [] },
    { name: 'halfway_missing', requirements: [{ type: 'assert-table-uuid', uuid: 'none' }] },
  ].map(({ name, requirements }) => ({ identifier: { namespace: ['lake', 'main', 'sales'], name }, requirements, updates: [] }));
  const { status, body } = await server.call('POST', '/transactions/commit', { body: { 'table-changes': changes } });
  assert.ok(status >= 400 && status < 500, body);
  t.mock.restoreAll();
  const orphan = `${location}/data/orphan.parquet`;
  await data.write(orphan, Buffer.from('rows'));
  assert.equal((await collect(server, 'lake')).error, undefined);
  assert.deepEqual(await Promise.all([file, orphan].map(isThere)), [true, false]);
  assert.deepEqual(await data.filesAt({ ref: commit, name: 'halfway' }), [file]);
});

for (const state of [undefined, 'aborted', 'committed'] as const)
  test(`the missing metadata file of a change of several tables keeps its table only in a commit where it happened: ${state ?? 'no record'}`, async () => {
    const name = `missing_${state ?? 'none'}`;
    const { file, location } = await filled(name);
    const path = pointerPath(name);
    const put = (to: string, value: object) => server.engine.putObject('lake', 'main', to, Buffer.from(JSON.stringify(value)));
    const { location: current, metadata } = await data.load({ ref: 'main', name });
    const plain = { 'table-uuid': metadata['table-uuid'], 'metadata-location': current };
    const pending = { ...plain, 'metadata-location': `${location}/metadata/00009-gone.metadata.json`, transaction: name };
    await put(path, { ...plain, pending });
    if (state) await put(`_lakefs_tables/iceberg/transactions/${name}`, { state });
    await server.engine.commit('lake', 'main', { ...by, message: 'pending' });
    await put(path, plain);
    const orphan = `${location}/data/orphan.parquet`;
    await data.write(orphan, Buffer.from('rows'));
    const { error } = await collect(server, 'lake');
    if (state === 'committed') assert.match(error ?? '', /nothing of .* was removed: .*00009-gone.metadata.json/);
    else assert.equal(error, undefined);
    assert.deepEqual(await Promise.all([file, orphan].map(isThere)), [true, state === 'committed']);
  });

test('a set of names refuses more, and knows those that it has', () => {
  const names = new NameSet(5000);
  const all = Array.from({ length: 5000 }, (_, i) => `tables/${i}`);
  for (const name of [...all, ...all]) names.add(name);
  assert.equal(names.size, 5000);
  assert.ok(all.every(name => names.has(name)));
  assert.ok(!Array.from({ length: 5000 }, (_, i) => `other/${i}`).some(name => names.has(name)));
  assert.throws(() => names.add('one more'), /more than 5000 files/);
});
