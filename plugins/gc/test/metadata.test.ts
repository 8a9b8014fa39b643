/** What runs collect in addition to objects: metadata files, old reports, abandoned uploads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { encodeEntry } from '@srv/engine/objects/entry';
import { pin } from '@srv/engine/refs/pins';
import { encodeValue } from '@srv/engine/tables/format';
import { MemoryKvStore } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { namedByRecords } from '../src/metadata/named-files.js';
import { collectorOn, ofSurvivor, shortTimes } from './collectors.js';
import { addressesBelow, ageless, collect, daysAgo, ended, openEngine } from './fixture.js';
import type { TestContext } from 'node:test';
import type { Repository } from '@srv/engine/contract';
import type { OpenEngine } from './fixture.js';

const commit = { committer: 'tester', message: 'm' };
const soon = { ...ageless, 'gc.metadata_min_age': '0s' };

async function open(
  t: TestContext,
  config: Readonly<Record<string, unknown>> = soon,
): Promise<OpenEngine & { readonly repository: Repository }> {
  const engine = await openEngine({ config });
  t.after(() => engine.stop());
  const repository = await engine.catalog.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo' });
  return { ...engine, repository };
}

/** Ids of the metadata files in a folder. */
async function filesIn({ block }: OpenEngine, folder = '_srv'): Promise<string[]> {
  const root = `mem://bucket/repo/${folder}/`;
  return (await addressesBelow(block, root)).map(address => address.slice(root.length)).filter(name => /^[0-9a-f]{64}$/.test(name));
}

/** Writes metadata files as an operation does before it names them. @returns the metarange. */
async function write({ kernel }: OpenEngine, name: string): Promise<string> {
  const entry = { address: `mem://elsewhere/${name}`, addressType: identifierType.full, size: 1, etag: name, lastModified: new Date(0) };
  const value = encodeValue(encodeEntry({ ...entry, metadata: {}, contentType: '' }));
  const changes = (async function* () {
    yield [{ key: Buffer.from(name), value }];
  })();
  return (await kernel.services.get('engine').tables.apply({ namespace: 'mem://bucket/repo', base: '', changes })).metarangeId;
}

async function commitOf({ catalog }: OpenEngine, path: string, date = new Date()): Promise<string> {
  await catalog.putObject('repo', 'main', path, Buffer.from(path));
  return (await catalog.commit('repo', 'main', { ...commit, date })).metarangeId;
}

describe('metadata files', () => {
  it('that nothing names are set aside, those of every commit stay', async t => {
    const engine = await open(t);
    await engine.gc.setRules('repo', { defaultRetentionDays: 1, branches: [] });
    for (const [path, days] of [
      ['a', 90],
      ['b', 50],
      ['c', 1],
    ] as const)
      await commitOf(engine, path, daysAgo(days));
    const kept = await filesIn(engine);
    const orphan = await write(engine, 'orphan');
    const all = await filesIn(engine);
    assert.equal(all.length, kept.length + 2);
    await sleep(2);
    const dry = await collect(engine.gc, 'repo', { mode: 'dry_run' });
    assert.deepEqual([dry.metadataFiles, await filesIn(engine)], [2, all]);
    const marked = await collect(engine.gc, 'repo', { mode: 'mark' });
    assert.deepEqual([marked.phase, marked.metadataFiles, await filesIn(engine)], ['marked', 2, all]);
    const run = await collect(engine.gc, 'repo');
    assert.deepEqual([run.phase, run.error, run.metadataFiles], ['done', undefined, 2]);
    assert.deepEqual(await filesIn(engine), kept);
    assert.ok((await filesIn(engine, '_srv/set-aside')).includes(orphan));
  });

  it('that are young stay, with all they name', async t => {
    const engine = await open(t, ageless);
    await write(engine, 'import under way');
    const before = await filesIn(engine);
    assert.equal((await collect(engine.gc, 'repo')).metadataFiles, 0);
    assert.deepEqual(await filesIn(engine), before);
    await assert.rejects(openEngine({ config: { 'gc.metadata_min_age': '1h' } }), /gc\.metadata_min_age is below 25h/);
  });

  it('that records, operations under way and tags name stay', async t => {
    const engine = await open(t);
    const [pinned, recorded, tagged] = [await write(engine, 'pinned'), await write(engine, 'recorded'), await commitOf(engine, 'x')];
    await engine.catalog.createTag('repo', 'v1', 'main');
    const release = await pin(engine.repository, { metaranges: [pinned] }, { kv: engine.kv, times: shortTimes });
    const partition = `repo-${engine.repository.instanceUid}`;
    await engine.kv.set(partition, Buffer.from('imports/one'), Buffer.from(`\x0a\x03one\x2a\x40${recorded}`));
    const before = await filesIn(engine);
    assert.equal((await collect(engine.gc, 'repo')).metadataFiles, 0);
    assert.deepEqual(await filesIn(engine), before);
    assert.ok(before.includes(tagged));
    await release();
    await engine.kv.delete(partition, Buffer.from('imports/one'));
    await collect(engine.gc, 'repo');
    assert.equal((await collect(engine.gc, 'repo')).phase, 'done');
    assert.deepEqual(
      (await filesIn(engine)).filter(id => id === pinned || id === recorded),
      [],
    );
  });

  it('of dumps stay, those of earlier dumps too, and can be restored', async t => {
    const engine = await open(t);
    await commitOf(engine, 'a');
    const first = await engine.catalog.dumpRefs('repo');
    await commitOf(engine, 'b');
    await engine.catalog.dumpRefs('repo');
    const before = await filesIn(engine);
    const run = await collect(engine.gc, 'repo');
    assert.deepEqual([run.error, run.metadataFiles], [undefined, 0]);
    assert.deepEqual(await filesIn(engine), before);
    const { results } = await engine.catalog.list('repo', 'main', { amount: 10 });
    await engine.catalog.deleteRepository('repo');
    await engine.catalog.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo', bare: true });
    await engine.catalog.restoreRefs('repo', first);
    const restored = await engine.catalog.list('repo', 'main', { amount: 10 });
    assert.deepEqual([restored.results.length, results.length], [1, 2]);
  });

  it('of a dump stay, also of a commit whose message is a long row of digits', async t => {
    const engine = await open(t);
    await engine.catalog.putObject('repo', 'main', 'a', Buffer.from('a'));
    await engine.catalog.commit('repo', 'main', { ...commit, message: '0123456789abcdef'.repeat(16_384) });
    await engine.catalog.dumpRefs('repo');
    const before = await filesIn(engine);
    const run = await collect(engine.gc, 'repo');
    assert.deepEqual([run.error, run.metadataFiles], [undefined, 0]);
    assert.deepEqual(await filesIn(engine), before);
  });

  it('that are named again after they were set aside are read there, and go back', async t => {
    const engine = await open(t);
    await commitOf(engine, 'a');
    const metarange = await write(engine, 'late');
    await collect(engine.gc, 'repo');
    assert.ok(!(await filesIn(engine)).includes(metarange));
    // Another server, which has no copies of its own, names and reads it.
    const other = await openEngine({ config: soon, kv: engine.kv, block: engine.block });
    t.after(() => other.stop());
    await other.catalog.commit('repo', 'main', { ...commit, sourceMetarange: metarange });
    const { results } = await other.catalog.list('repo', 'main', { amount: 10 });
    assert.deepEqual(
      results.map(item => (item.kind === 'object' ? item.entry.path : '')),
      ['late'],
    );
    await collectorOn(engine, 'maintaining', engine, ofSurvivor).maintainMetadata(engine.repository);
    assert.ok((await filesIn(engine)).includes(metarange));
    assert.deepEqual(await filesIn(engine, '_srv/set-aside'), []);
  });

  it('are removed once they have been set aside for long enough', async t => {
    const engine = await open(t, { ...soon, 'gc.metadata_keep': '0s' });
    await commitOf(engine, 'a');
    const before = await filesIn(engine);
    await write(engine, 'orphan');
    await collect(engine.gc, 'repo');
    assert.equal((await filesIn(engine, '_srv/set-aside')).length, 2);
    await collect(engine.gc, 'repo');
    assert.deepEqual([await filesIn(engine, '_srv/set-aside'), await filesIn(engine)], [[], before]);
  });

  it('stay when one that a commit names is missing, and the run says so', async t => {
    const engine = await open(t);
    const metarange = await commitOf(engine, 'a', daysAgo(50));
    await commitOf(engine, 'b');
    await engine.gc.setRules('repo', { defaultRetentionDays: 1, branches: [], tags: { keep: 'none' } });
    await write(engine, 'orphan');
    await engine.block.remove({
      namespace: 'mem://bucket/repo',
      identifier: `_srv/${metarange}`,
      identifierType: identifierType.relative,
    });
    const fresh = await openEngine({ config: soon, kv: engine.kv, block: engine.block });
    t.after(() => fresh.stop());
    const before = await filesIn(engine);
    const run = await collect(fresh.gc, 'repo');
    assert.match(run.error ?? '', /metadata/);
    assert.deepEqual(await filesIn(engine), before);
  });
});

describe('names in records', () => {
  const repository: Repository = {
    id: 'repo',
    instanceUid: 'uid',
    storageNamespace: 'mem://bucket/repo',
    storageId: '',
    defaultBranch: 'main',
    creationDate: new Date(0),
    state: 'active',
    readOnly: false,
  };

  /** Files that a record names, the texts that were looked up, and how often others had their turn. */
  async function read(record: string, files: readonly string[]) {
    const kv = new MemoryKvStore();
    await kv.set(partitionOf(repository), Buffer.from('key'), Buffer.from(record));
    const asked: string[] = [];
    let [turns, isDone] = [0, false];
    const others = (async () => {
      for (; !isDone; turns++) await setImmediate();
    })();
    const found = await namedByRecords(kv, repository, id => {
      asked.push(id);
      return files.includes(id);
    });
    isDone = true;
    await others;
    return { found: [...found], asked: asked.length, turns };
  }

  it('are found wherever they are in a row of digits', async () => {
    const digits = '0123456789abcdef'.repeat(5);
    const files = [0, 1, 7, 16].map(at => digits.slice(at, at + 64));
    // Those at 0 and 16 are the same.
    assert.deepEqual(await read(`x${digits}x`, files).then(({ found, asked }) => [found, asked]), [files.slice(0, 3), 17]);
    for (const name of files) assert.deepEqual((await read(`a${name}\n${digits.slice(0, 63)}F`, [name])).found, [name]);
    assert.deepEqual((await read(`${digits.slice(0, 63)}F${digits.slice(0, 63)}`, files)).asked, 0);
  });

  it('are looked up once for each place, and others have their turn meanwhile', async () => {
    const record = 'f'.repeat(1 << 18);
    const { found, asked, turns } = await read(record, ['f'.repeat(64)]);
    assert.deepEqual([found, asked], [['f'.repeat(64)], record.length - 63]);
    assert.ok(turns >= 10, `${turns} turns`);
  });
});

describe('uploads', () => {
  const upload = (engine: OpenEngine, identifier: string) =>
    engine.block.createMultipart({ namespace: 'mem://bucket/repo', identifier, identifierType: identifierType.relative });
  const openUploads = async ({ block }: OpenEngine): Promise<string[]> => {
    const found: string[] = [];
    for await (const page of block.openUploads?.('mem://bucket/repo/') ?? []) found.push(...page.map(({ uploadId }) => uploadId));
    return found;
  };

  it('that are abandoned are ended; those of the gateway and young ones stay', async t => {
    const engine = await open(t, { ...ageless, 'gc.upload_expiry': '1ms' });
    const lost = await upload(engine, engine.catalog.allocateAddress());
    const known = await upload(engine, engine.catalog.allocateAddress());
    const strange = await upload(engine, 'elsewhere/x');
    await engine.kv.set('multiparts', Buffer.from(known.uploadId), Buffer.from('record'));
    await sleep(5);
    assert.equal((await collect(engine.gc, 'repo', { mode: 'dry_run' })).abortedUploads, 0);
    assert.equal((await openUploads(engine)).length, 3);
    assert.equal((await collect(engine.gc, 'repo')).abortedUploads, 1);
    assert.deepEqual((await openUploads(engine)).toSorted(), [known.uploadId, strange.uploadId].toSorted());
    assert.ok(!(await openUploads(engine)).includes(lost.uploadId));
    // Of its own: of two servers on one database, either may do a run.
    const patient = await open(t, ageless);
    await upload(patient, patient.catalog.allocateAddress());
    assert.equal((await collect(patient.gc, 'repo')).abortedUploads, 0);
  });
});

describe('reports', () => {
  it('that are old go with the records of their runs, those of quarantined objects and rules stay', async t => {
    const engine = await open(t, { ...ageless, 'gc.report_expiry': '1ms' });
    await engine.gc.setRules('repo', { defaultRetentionDays: 1, branches: [] });
    const first = await collect(engine.gc, 'repo');
    await engine.gc.prepareCommits('repo');
    await engine.catalog.putObject('repo', 'main', 'x', Buffer.from('x'));
    await engine.catalog.resetBranch('repo', 'main', { type: 'all' });
    const held = await collect(engine.gc, 'repo', { quarantineDays: 1 });
    await sleep(5);
    const last = await ended(engine.gc, 'repo', engine.gc.start('repo', { mode: 'run' }));
    // The second run found them old already, or the third.
    assert.ok(held.oldReports + last.oldReports > 4);
    const { results } = await engine.gc.listRuns('repo');
    assert.deepEqual(
      results.map(run => run.id),
      [last.id, held.id],
    );
    const left = [
      ...(await addressesBelow(engine.block, 'mem://bucket/repo/_srv/retention/')),
      ...(await addressesBelow(engine.block, 'mem://bucket/repo/_lakefs/')),
    ].map(address => address.slice('mem://bucket/repo/'.length));
    assert.deepEqual(
      left.filter(name => name.includes(first.id)),
      [],
    );
    assert.ok(left.some(name => name.includes(held.id)) && left.some(name => name.includes(last.id)));
    assert.ok(left.includes('_srv/retention/gc/rules/config.json'));
    assert.ok(!left.some(name => name.includes('/commits/')));
    assert.equal(await engine.gc.restore('repo', held.id), 1);
  });
});
