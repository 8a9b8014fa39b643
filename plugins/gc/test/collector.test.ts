import assert from 'node:assert/strict';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { commitId, decodeJump, encodeCommit, encodeJump } from '@srv/engine/refs/messages';
import { isSrvError } from '@srv/kernel';
import { partitionOf } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { parquetReadObjects } from 'hyparquet';
import { addRepository, addressesBelow, ageless, collect, contentAt, daysAgo, ended, exists, openEngine, putText } from './fixture.js';
import { compressors } from './gzip.js';
import type { OpenEngine } from './fixture.js';

const commit = { committer: 'tester', message: 'm' };

describe('the built-in collector', () => {
  let engine: OpenEngine;
  before(async () => {
    engine = await openEngine({ config: ageless });
  });
  after(() => engine.stop());

  const repository = (id: string): Promise<string> => addRepository(engine, id);
  const put = (id: string, branch: string, path: string, content = path): Promise<string> => putText(engine, id, branch, path, content);
  const commitAt = (id: string, branch: string, days: number) => engine.catalog.commit(id, branch, { ...commit, date: daysAgo(days) });
  const here = (id: string, address: string): Promise<boolean> => exists(engine, id, address);

  it('keeps and removes what the acceptance scenario says', async () => {
    const id = await repository('scenario');
    await engine.gc.setRules(id, {
      defaultRetentionDays: 7,
      branches: [
        { branchId: 'main', retentionDays: 10 },
        { branchId: 'dev', retentionDays: 7 },
      ],
    });
    for (const branch of ['dev', 'dev2']) await engine.catalog.createBranch(id, branch, 'main');
    const addresses = new Map<number, string>();
    const committed: readonly (readonly [file: number, branch: string, deleted: number])[] = [
      [2, 'main', 12],
      [1, 'main', 8],
      [5, 'dev', 8],
      [6, 'dev', 4],
      [9, 'dev2', 8],
      [8, 'dev2', 6],
    ];
    for (const branch of ['main', 'dev', 'dev2']) {
      const own = committed.filter(([, name]) => name === branch);
      for (const [file] of own) addresses.set(file, await put(id, branch, `file_${file}`));
      await commitAt(id, branch, 14);
      for (const [file, , days] of own) {
        await engine.catalog.deleteObject(id, branch, `file_${file}`);
        await commitAt(id, branch, days);
      }
    }
    for (const [file, branch] of [
      [3, 'main'],
      [4, 'main'],
      [7, 'dev'],
      [10, 'dev2'],
    ] as const)
      addresses.set(file, await put(id, branch, `file_${file}`));
    await engine.catalog.deleteObject(id, 'main', 'file_4', { noTombstone: true });
    await engine.catalog.resetBranch(id, 'dev', { type: 'all' });
    await engine.catalog.deleteBranch(id, 'dev2');
    const run = await collect(engine.gc, id);
    assert.equal(run.error, undefined);
    const left: number[] = [];
    for (const [file, address] of addresses) if (await here(id, address)) left.push(file);
    assert.deepEqual(
      left.toSorted((a, b) => a - b),
      [1, 3, 6, 8],
    );
    assert.deepEqual([run.phase, run.listed, run.candidates, run.deleted, run.failures], ['done', 10, 6, 6, 0]);
  });

  it('keeps its lists from other users of the machine, also in a folder that was open', async () => {
    const id = await repository('private');
    const { instanceUid } = await engine.catalog.getRepository(id);
    const folder = join(engine.folder, 'gc', instanceUid);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await put(id, 'main', 'x');
    await commitAt(id, 'main', 1);
    assert.equal((await collect(engine.gc, id)).error, undefined);
    const below = await readdir(folder, { recursive: true, withFileTypes: true });
    const folders = [folder, ...below.filter(entry => entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))];
    assert.ok(folders.length > 1);
    for (const each of folders) assert.equal(((await stat(each)).mode & 0o777).toString(8), '700', each);
  });

  it('a run whose folder can be neither made nor removed fails, and the next one works', async () => {
    const id = await repository('folderless');
    const { instanceUid } = await engine.catalog.getRepository(id);
    await put(id, 'main', 'x');
    await commitAt(id, 'main', 1);
    const runs = join(engine.folder, 'gc', instanceUid, 'runs');
    await mkdir(join(engine.folder, 'gc', instanceUid), { recursive: true });
    await writeFile(runs, 'not a folder');
    const failed = await collect(engine.gc, id);
    assert.equal(failed.phase, 'failed');
    assert.notEqual(failed.error, undefined);
    await rm(runs);
    assert.equal((await collect(engine.gc, id)).phase, 'done');
  });

  it('keeps every commit without rules, and removes what was never committed', async () => {
    const id = await repository('norules');
    const old = await put(id, 'main', 'x');
    await commitAt(id, 'main', 1000);
    await engine.catalog.deleteObject(id, 'main', 'x');
    await commitAt(id, 'main', 900);
    const lost = await put(id, 'main', 'y');
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    await collect(engine.gc, id);
    assert.deepEqual([await here(id, old), await here(id, lost)], [true, false]);
  });

  it('keeps what a deleted branch and a branch before its reset showed, while they can be restored', async () => {
    const id = await repository('undelete');
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
    await put(id, 'main', 'w');
    await commitAt(id, 'main', 50);
    for (const branch of ['deleted', 'moved']) await engine.catalog.createBranch(id, branch, 'main');
    const deleted = await put(id, 'deleted', 'x');
    await commitAt(id, 'deleted', 40);
    const moved = await put(id, 'moved', 'y');
    const { id: before } = await commitAt(id, 'moved', 40);
    await engine.catalog.deleteBranch(id, 'deleted');
    await engine.catalog.hardResetBranch(id, 'moved', 'main');
    await collect(engine.gc, id);
    assert.deepEqual([await here(id, deleted), await here(id, moved)], [true, true]);
    await engine.catalog.undeleteBranch(id, 'deleted');
    await engine.catalog.hardResetBranch(id, 'moved', before);
    assert.deepEqual(
      [(await engine.catalog.getEntry(id, 'deleted', 'x')).address, (await engine.catalog.getEntry(id, 'moved', 'y')).address],
      [deleted, moved],
    );
    await engine.catalog.deleteBranch(id, 'deleted');
    const partition = partitionOf(await engine.catalog.getRepository(id));
    for await (const page of engine.kv.scan(partition, { start: Buffer.from('branch-log/') }))
      for (const { key, value } of page)
        if (key.toString().startsWith('branch-log/'))
          await engine.kv.set(partition, key, encodeJump({ ...decodeJump(value), keptUntil: daysAgo(1) }));
    await collect(engine.gc, id);
    assert.deepEqual([await here(id, deleted), await here(id, moved)], [false, true]);
  });

  it('keeps tagged commits unless the rules say otherwise', async () => {
    const id = await repository('tags');
    const old = await put(id, 'main', 'x');
    await commitAt(id, 'main', 100);
    await engine.catalog.createTag(id, 'v1', 'main');
    await engine.catalog.deleteObject(id, 'main', 'x');
    await commitAt(id, 'main', 90);
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
    await collect(engine.gc, id);
    assert.equal(await here(id, old), true);
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [], tags: { keep: 'none' } });
    await collect(engine.gc, id);
    assert.equal(await here(id, old), false);
  });

  it('spares young objects, by name and by modification time', async t => {
    const young = await openEngine();
    t.after(() => young.stop());
    await young.catalog.createRepository({ id: 'young', storageNamespace: 'mem://bucket/young' });
    const { address } = await young.catalog.putObject('young', 'main', 'x', Buffer.from('x'));
    await young.catalog.resetBranch('young', 'main', { type: 'all' });
    const run = await collect(young.gc, 'young');
    assert.deepEqual([run.young, run.candidates], [1, 0]);
    assert.equal(await exists(young, 'young', address), true);
    await assert.rejects(openEngine({ config: { 'gc.min_age': '1h' } }), /gc\.min_age is below 25h/);
  });

  it('does not touch objects whose names are not its own', async () => {
    const id = await repository('strange');
    for (const identifier of ['data/readme.txt', 'data/a/b', 'root.txt', `data/${'x'.repeat(20)}/${'y'.repeat(20)}`])
      await engine.block.put({ namespace: `mem://bucket/${id}`, identifier, identifierType: identifierType.relative }, Buffer.from('x'));
    const run = await collect(engine.gc, id);
    assert.deepEqual([run.listed, run.candidates], [3, 0]);
  });

  it('keeps addresses however they are spelled, and of entries without an address type', async () => {
    const id = await repository('spelled');
    const addresses = await Promise.all(['a', 'b', 'c'].map(path => put(id, 'main', path)));
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    const [a = '', b = '', c = ''] = addresses;
    const owner = await engine.catalog.getRepository(id);
    const stage = (path: string, address: string, addressType: 0 | 2): Promise<unknown> =>
      engine.catalog.stageEntry(owner, 'main', path, { address, addressType, size: 1, etag: 'e' });
    await stage('a', `mem://bucket/${id}/${a.replace('/', '%2F')}`, identifierType.full);
    await stage('b', `mem://BUCKET/${id}//${b.toUpperCase()}`, identifierType.full);
    await stage('c', c, identifierType.byPrefix);
    await collect(engine.gc, id);
    assert.deepEqual(await Promise.all(addresses.map(address => here(id, address))), [true, true, true]);
    await engine.catalog.commit(id, 'main', commit);
    await collect(engine.gc, id);
    assert.deepEqual(await Promise.all(addresses.map(address => here(id, address))), [true, true, true]);
  });

  it('keeps what another repository names by full address, committed or not', async () => {
    const [owner, reader] = [await repository('owner'), await repository('reader')];
    const addresses = [await put(owner, 'main', 'a'), await put(owner, 'main', 'b'), await put(owner, 'main', 'c')];
    await engine.catalog.resetBranch(owner, 'main', { type: 'all' });
    const staging = await engine.catalog.getRepository(reader);
    const stage = (path: string, address: string | undefined): Promise<unknown> =>
      engine.catalog.stageEntry(staging, 'main', path, {
        address: `mem://bucket/${owner}/${address}`,
        addressType: identifierType.full,
        size: 1,
        etag: 'e',
      });
    await stage('a', addresses[0]);
    await engine.catalog.commit(reader, 'main', commit);
    await stage('b', addresses[1]);
    await collect(engine.gc, owner);
    assert.deepEqual(await Promise.all(addresses.map(address => here(owner, address))), [true, true, false]);
  });

  it('runs although a commit of some repository has a metarange that is not an id, as earlier versions stored it', async () => {
    const [owner, reader] = [await repository('sound'), await repository('broken')];
    for (const id of [owner, reader]) await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
    const kept = [await put(owner, 'main', 'a'), await put(reader, 'main', 'a')];
    for (const id of [owner, reader]) await engine.catalog.commit(id, 'main', commit);
    const garbage = [await put(owner, 'main', 'b'), await put(reader, 'main', 'b')];
    for (const id of [owner, reader]) await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    await engine.catalog.createBranch(reader, 'odd', await recordOf(reader, 'typo'));
    for (const id of [owner, reader]) assert.equal((await collect(engine.gc, id)).error, undefined);
    const shown = async (addresses: readonly string[]) => [await here(owner, addresses[0] ?? ''), await here(reader, addresses[1] ?? '')];
    assert.deepEqual(
      [await shown(kept), await shown(garbage)],
      [
        [true, true],
        [false, false],
      ],
    );
    assert.match((await engine.gc.explain(reader, kept[1] ?? '')).keptBy.join(), /^commit [0-9a-f]+, branch main/);
    // As the error of a read says.
    await assert.rejects(engine.catalog.list(reader, 'odd'), { code: 'corrupt', message: /"typo".*branch reset --hard/ });
    await engine.catalog.hardResetBranch(reader, 'odd', 'main');
    assert.equal((await engine.catalog.list(reader, 'odd')).results.length, 1);
  });

  it('names the commit of another repository whose metarange is missing, and removes nothing', async t => {
    const lost = await openEngine({ config: ageless });
    t.after(() => lost.stop());
    for (const id of ['owner', 'reader']) await lost.catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
    const { address } = await lost.catalog.putObject('owner', 'main', 'a', Buffer.from('a'));
    await lost.catalog.resetBranch('owner', 'main', { type: 'all' });
    const missing = '0'.repeat(64);
    const id = await recordOf('reader', missing, lost);
    const run = await collect(lost.gc, 'owner');
    assert.match(run.error ?? '', new RegExp(`commit ${id} of repository reader: metarange ${missing} cannot be read.*restore the file`));
    assert.equal(await exists(lost, 'owner', address), true);
  });

  /** Stores a commit record as earlier versions did, which did not check its metarange. @returns its id. */
  async function recordOf(repositoryId: string, metarangeId: string, { kv, catalog }: OpenEngine = engine): Promise<string> {
    const record = { committer: 'c', message: 'm', creationDate: new Date(), metarangeId, metadata: {}, parents: [], generation: 1 };
    const id = commitId(record);
    const found = await catalog.getRepository(repositoryId);
    await kv.set(partitionOf(found), Buffer.from(`commits/${id}`), encodeCommit({ ...record, id, version: 1 }));
    return id;
  }

  it('keeps objects of multipart uploads under way', async () => {
    const id = await repository('uploads');
    const address = await put(id, 'main', 'x');
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    await engine.kv.set('multiparts', Buffer.from('upload-1'), Buffer.from(`\x0a\x08upload-1\x22\x2e${address}`));
    await collect(engine.gc, id);
    assert.equal(await here(id, address), true);
    await engine.kv.delete('multiparts', Buffer.from('upload-1'));
    await collect(engine.gc, id);
    assert.equal(await here(id, address), false);
  });

  it('refuses a namespace that another repository shares', async () => {
    await repository('shared');
    await engine.catalog.createRepository({ id: 'nested', storageNamespace: 'mem://bucket/shared/below', readOnly: true });
    const run = await collect(engine.gc, 'shared');
    assert.equal(run.phase, 'failed');
    assert.match(run.error ?? '', /overlaps mem:\/\/bucket\/shared\/below of repository nested/);
    await engine.catalog.deleteRepository('nested', { force: true });
    assert.equal((await collect(engine.gc, 'shared')).phase, 'done');
  });

  it('removes nothing before a restore of refs has brought the default branch, which comes last', async () => {
    const id = await repository('restored');
    await put(id, 'main', 'x');
    await commitAt(id, 'main', 90);
    await engine.catalog.createBranch(id, 'side', 'main');
    const address = await put(id, 'main', 'y');
    await commitAt(id, 'main', 80);
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
    const [partition, key] = [partitionOf(await engine.catalog.getRepository(id)), Buffer.from('branches/main')];
    const stored = await engine.kv.get(partition, key);
    await engine.kv.delete(partition, key);
    const run = await collect(engine.gc, id);
    assert.deepEqual([run.phase, run.deleted, await here(id, address)], ['failed', 0, true]);
    assert.match(run.error ?? '', /no branch main, its default: it is bare or its refs are being restored/);
    await engine.kv.set(partition, key, stored?.value ?? Buffer.of());
    const complete = await collect(engine.gc, id);
    assert.deepEqual([complete.phase, await here(id, address)], ['done', true]);
  });

  it('refuses a repository without branches, and a read-only one', async () => {
    await engine.catalog.createRepository({ id: 'bare', storageNamespace: 'mem://bucket/bare', bare: true });
    assert.match((await collect(engine.gc, 'bare')).error ?? '', /no branch/);
    await engine.catalog.createRepository({ id: 'frozen', storageNamespace: 'mem://bucket/frozen', readOnly: true });
    await assert.rejects(engine.gc.start('frozen', { mode: 'run' }), (error: unknown) => isSrvError(error, 'read_only'));
  });

  it('removes nothing when a range is missing', async t => {
    // An engine of its own: nothing has read the range before.
    const first = await openEngine({ config: ageless });
    await first.catalog.createRepository({ id: 'hole', storageNamespace: 'mem://bucket/hole' });
    await first.catalog.putObject('hole', 'main', 'x', Buffer.from('x'));
    await first.catalog.commit('hole', 'main', commit);
    await first.catalog.putObject('hole', 'main', 'y', Buffer.from('y'));
    await first.catalog.resetBranch('hole', 'main', { type: 'all' });
    t.after(() => first.stop());
    const { metarangeId } = await first.catalog.getCommit('hole', 'main');
    for await (const page of first.kernel.services.get('engine').tables.ranges('mem://bucket/hole', metarangeId))
      for (const { id } of page)
        await first.block.remove({ namespace: 'mem://bucket/hole', identifier: `_srv/${id}`, identifierType: identifierType.relative });
    const run = await collect(first.gc, 'hole');
    assert.deepEqual([run.phase, run.deleted], ['failed', 0]);
    assert.match(run.error ?? '', /repository hole: range [0-9a-f]{64} not found: restore the file/);
  });

  it('counts only in a dry run, and leaves the sweep to a later call after a mark', async () => {
    const id = await repository('phases');
    const lost = await put(id, 'main', 'x');
    const revived = await put(id, 'main', 'y');
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    const dry = await collect(engine.gc, id, { mode: 'dry_run' });
    assert.deepEqual([dry.phase, dry.candidates, dry.deleted], ['done', 2, 0]);
    assert.deepEqual(await addressesBelow(engine.block, `mem://bucket/${id}/_lakefs/`), []);
    const marked = await collect(engine.gc, id, { mode: 'mark' });
    assert.deepEqual([marked.phase, marked.candidates, marked.deleted], ['marked', 2, 0]);
    assert.deepEqual((await engine.gc.candidates(id, marked.id)).results.toSorted(), [lost, revived].toSorted());
    // Between mark and sweep one of them is staged again.
    const facts = { address: revived, addressType: identifierType.relative, size: 1, etag: 'e' };
    await engine.catalog.stageEntry(await engine.catalog.getRepository(id), 'main', 'y', facts);
    const swept = await ended(engine.gc, id, engine.gc.sweep(id, marked.id));
    assert.deepEqual([swept.phase, swept.deleted, swept.spared], ['done', 1, 1]);
    assert.deepEqual([await here(id, lost), await here(id, revived)], [false, true]);
    await assert.rejects(engine.gc.sweep(id, dry.id), (error: unknown) => isSrvError(error, 'conflict'));
  });

  it('does not sweep an old mark over what a revert has brought back', async () => {
    const id = await repository('revert');
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [], tags: { keep: 'none' } });
    const address = await put(id, 'main', 'x');
    await commitAt(id, 'main', 100);
    await engine.catalog.deleteObject(id, 'main', 'x');
    await commitAt(id, 'main', 90);
    await put(id, 'main', 'z');
    await commitAt(id, 'main', 80);
    const marked = await collect(engine.gc, id, { mode: 'mark' });
    assert.equal(marked.candidates, 1);
    await engine.catalog.revert(id, 'main', { ref: 'main~1', committer: 'tester' });
    const swept = await ended(engine.gc, id, engine.gc.sweep(id, marked.id));
    assert.deepEqual([swept.deleted, swept.spared, await here(id, address)], [0, 1, true]);
  });

  it('writes reports in both layouts', async () => {
    const id = await repository('reports');
    const address = await put(id, 'main', 'x');
    const signed = `${await put(id, 'main', 'y')},${'s'.repeat(43)}`;
    await engine.catalog.commit(id, 'main', commit);
    await engine.block.put(
      { namespace: `mem://bucket/${id}`, identifier: signed, identifierType: identifierType.relative },
      Buffer.from('s'),
    );
    await engine.catalog.deleteBranch(id, 'none').catch(() => {});
    const lost = await put(id, 'main', 'lost');
    const lostSigned = `${lost.slice(0, -20)}${lost.slice(-20)},${'t'.repeat(43)}`;
    await engine.block.put(
      { namespace: `mem://bucket/${id}`, identifier: lostSigned, identifierType: identifierType.relative },
      Buffer.from('s'),
    );
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    const run = await collect(engine.gc, id);
    assert.deepEqual([run.deleted, await here(id, address), await here(id, signed)], [2, true, true]);
    const base = `mem://bucket/${id}/_lakefs/retention/gc`;
    const gone = [lost, lostSigned].toSorted();
    const text = (await contentAt(engine.block, `${base}/unified/${run.id}/deleted.text/part-00000.txt`)).toString();
    assert.deepEqual(text.split('\n').slice(0, -1), gone);
    const csv = (await contentAt(engine.block, `${base}/reports/${run.id}/deleted.csv`)).toString();
    assert.deepEqual(csv.split('\n'), ['address', gone[0], `"${gone[1]}"`, '']);
    const parquet = await contentAt(engine.block, `${base}/unified/${run.id}/deleted/part-00000.parquet`);
    const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.length) as ArrayBuffer;
    assert.deepEqual(
      await parquetReadObjects({ file, compressors }),
      gone.map(key => ({ address: key })),
    );
    const summary = (await contentAt(engine.block, `${base}/unified/${run.id}/summary.json`)).toString();
    assert.equal(summary.split('\n').length, 2, 'one line');
    const { start_time, cutoff_time, ...rest } = JSON.parse(summary) as Record<string, unknown>;
    assert.deepEqual(rest, { run_id: run.id, success: true, first_slice: gone[0]?.split('/')[1], num_deleted_objects: 2 });
    assert.ok(String(cutoff_time) <= String(start_time));
  });

  it('keeps collected objects in quarantine and brings them back', async () => {
    const id = await repository('quarantine');
    const lost = await put(id, 'main', 'x', 'precious');
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    const run = await collect(engine.gc, id, { quarantineDays: 3 });
    assert.deepEqual([run.deleted, await here(id, lost)], [1, false]);
    assert.equal(await engine.gc.restore(id, run.id), 1);
    assert.equal((await contentAt(engine.block, `mem://bucket/${id}/${lost}`)).toString(), 'precious');
    const plain = await collect(engine.gc, id);
    await assert.rejects(engine.gc.restore(id, plain.id), /kept nothing/);
  });

  it('says what keeps an object, and which run collected it', async () => {
    const id = await repository('explain');
    const address = await put(id, 'main', 'x');
    assert.deepEqual((await engine.gc.explain(id, address)).keptBy, ['branch main has it uncommitted at "x"']);
    const { id: made } = await engine.catalog.commit(id, 'main', commit);
    assert.deepEqual((await engine.gc.explain(id, `mem://bucket/${id}/${address}`)).keptBy, [`commit ${made}, branch main`]);
    const lost = await put(id, 'main', 'y');
    const other = await put(id, 'main', 'z');
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    assert.deepEqual((await engine.gc.explain(id, lost)).keptBy, []);
    const run = await collect(engine.gc, id);
    for (const key of [lost, other]) {
      const { exists: there, collectedBy } = await engine.gc.explain(id, key);
      assert.deepEqual([there, collectedBy], [false, run.id]);
    }
    const pointer = { namespace: `mem://bucket/${id}`, identifier: lost, identifierType: identifierType.relative };
    await assert.rejects(engine.block.get(pointer), {
      code: 'no_data',
      message: new RegExp(`it was collected as garbage by run ${run.id}`),
    });
    await assert.rejects(engine.gc.explain(id, 'data/x'), (error: unknown) => isSrvError(error, 'invalid'));
  });

  it('stops when the share of garbage is suspicious, unless it is forced', async () => {
    const id = await repository('share');
    const paths = Array.from({ length: 1100 }, (_, i) => `f${i}`);
    for (let at = 0; at < paths.length; at += 100) await Promise.all(paths.slice(at, at + 100).map(path => put(id, 'main', path)));
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    const run = await collect(engine.gc, id);
    assert.equal(run.phase, 'failed');
    assert.match(run.error ?? '', /1100 of 1100 objects are garbage/);
    assert.deepEqual([(await collect(engine.gc, id, { force: true })).deleted], [1100]);
  });

  it('keeps commits that appear during the run, whatever their date and wherever the branch is by then', async () => {
    const id = await repository('backdated');
    await put(id, 'main', 'first');
    await commitAt(id, 'main', 100);
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
    const address = await put(id, 'main', 'x');
    let isFirst = true;
    engine.kernel.hooks.gcPlan.tapPromise({ name: 'gc', stage: -1 }, async plan => {
      if (plan.repository !== id || !isFirst) return;
      isFirst = false;
      await commitAt(id, 'main', 90);
      await engine.catalog.deleteObject(id, 'main', 'x');
      await commitAt(id, 'main', 80);
    });
    assert.equal((await collect(engine.gc, id)).phase, 'done');
    assert.equal(await here(id, address), true);
    await collect(engine.gc, id);
    assert.equal(await here(id, address), false, 'the next run judges them by the rules');
  });

  it('lets one run at a time collect a repository, and cancels it when asked', async () => {
    const id = await repository('busy');
    let let_go = (): void => {};
    const held = new Promise<void>(resolve => {
      let_go = resolve;
    });
    engine.kernel.hooks.gcPlan.tapPromise('gc', async plan => {
      if (plan.repository === id) await held;
    });
    const first = await engine.gc.start(id, { mode: 'run' });
    await assert.rejects(
      engine.gc.start(id, { mode: 'run' }),
      (error: unknown) => isSrvError(error, 'conflict') && error.message.includes(first),
    );
    await engine.gc.cancel(id, first);
    let_go();
    assert.equal((await ended(engine.gc, id, first)).phase, 'cancelled');
    await assert.rejects(engine.gc.cancel(id, first), (error: unknown) => isSrvError(error, 'conflict'));
    await sleep(5);
    assert.equal((await collect(engine.gc, id)).phase, 'done');
    const { results } = await engine.gc.listRuns(id);
    assert.equal(results.length, 2);
    assert.ok(results.some(run => run.id === first));
  });

  it('lists runs newest first, also those of one second', async () => {
    const id = await repository('order');
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await collect(engine.gc, id, { mode: 'dry_run' })).id);
    const { results } = await engine.gc.listRuns(id);
    assert.deepEqual(
      results.map(run => run.id),
      made,
    );
  });
});
