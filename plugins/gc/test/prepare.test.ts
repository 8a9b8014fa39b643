import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { partitionOf, xidSeconds } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { PagedKv, addRepository, addressesBelow, contentAt, daysAgo, gatherStaged, openEngine, putText } from './fixture.js';
import { compressors } from './gzip.js';
import type { KvEntry, ScanOptions } from '@srv/kernel';
import type { OpenEngine } from './fixture.js';

/** Can fail, or do something, when a partition is scanned. */
class WatchedKv extends MemoryKvStore {
  onScan: (partition: string) => Promise<void> = async () => {};
  override async *scan(partition: string, options?: ScanOptions): AsyncGenerator<readonly KvEntry[]> {
    await this.onScan(partition);
    yield* super.scan(partition, options);
  }
}

const commit = { committer: 'tester', message: 'm' };

describe('preparation for foreign collectors', () => {
  let engine: OpenEngine;
  const kv = new WatchedKv();
  before(async () => {
    engine = await openEngine({ kv, config: { 'ugc.prepare_interval': '1ns' } });
  });
  after(() => engine.stop());

  const repository = (id: string): Promise<string> => addRepository(engine, id);
  const put = (id: string, branch: string, path: string): Promise<string> => putText(engine, id, branch, path);

  it('lists the active commits as CSV, byte for byte', async () => {
    const id = await repository('csv');
    const ids: string[] = [];
    for (const days of [20, 10, 1]) {
      await put(id, 'main', `f${days}`);
      ids.push((await engine.catalog.commit(id, 'main', { ...commit, date: daysAgo(days) })).id);
    }
    await engine.gc.setRules(id, { defaultRetentionDays: 7, branches: [] });
    const { runId, commitsLocation, addressesLocation } = await engine.gc.prepareCommits(id);
    assert.equal(commitsLocation, `mem://bucket/csv/_srv/retention/gc/commits/run_id=${runId}/commits.csv`);
    assert.equal(addressesLocation, 'mem://bucket/csv/_srv/retention/gc/addresses/');
    assert.ok(xidSeconds(runId) !== undefined);
    const [header, ...rows] = (await contentAt(engine.block, commitsLocation)).toString().split('\n');
    assert.equal(header, 'commit_id,expired,metarange_id');
    assert.equal(rows.pop(), '', 'the last line ends');
    const wanted = await Promise.all(ids.slice(1).map(async c => `${c},false,${(await engine.catalog.getCommit(id, c)).metarangeId}`));
    assert.deepEqual(rows.toSorted(), wanted.toSorted());
  });

  it('lists every commit without rules, the first one with an empty metarange', async () => {
    const id = await repository('norules');
    const first = await engine.catalog.getCommit(id, 'main');
    await assert.rejects(engine.gc.getRules(id), (error: unknown) => isSrvError(error, 'not_found'));
    const { commitsLocation } = await engine.gc.prepareCommits(id);
    assert.equal((await contentAt(engine.block, commitsLocation)).toString(), `commit_id,expired,metarange_id\n${first.id},false,\n`);
  });

  it('does the same as a task', async () => {
    const id = await repository('task');
    const task = await engine.gc.submitPrepareCommits(id);
    let status = await engine.gc.prepareCommitsStatus(id, task);
    while (!status.done) {
      await sleep(5);
      status = await engine.gc.prepareCommitsStatus(id, task);
    }
    assert.equal(status.error, undefined);
    assert.match((await contentAt(engine.block, status.result?.commitsLocation ?? '')).toString(), /^commit_id,expired,metarange_id\n/);
    await assert.rejects(engine.gc.prepareCommitsStatus(id, 'DRxxxxxxxxxxxxxxxxxxxx'), (error: unknown) => isSrvError(error, 'not_found'));
  });

  it('fails rather than leaving commits out when a scan fails', async () => {
    const id = await repository('broken');
    const own = partitionOf(await engine.kernel.services.get('engine').getRepository(id));
    kv.onScan = async partition => {
      if (partition === own) throw new Error('the database is away');
    };
    await assert.rejects(engine.gc.prepareCommits(id), /the database is away/);
    await assert.rejects(engine.gc.prepareUncommitted(id), /the database is away/);
    kv.onScan = async () => {};
    assert.deepEqual(await addressesBelow(engine.block, `mem://bucket/${id}/_srv/retention/`), []);
  });

  it('refuses a read-only repository', async () => {
    await engine.catalog.createRepository({ id: 'frozen', storageNamespace: 'mem://bucket/frozen', readOnly: true });
    const refused = (error: unknown): boolean => isSrvError(error, 'read_only');
    await assert.rejects(engine.gc.prepareCommits('frozen'), refused);
    await assert.rejects(engine.gc.submitPrepareCommits('frozen'), refused);
    await assert.rejects(engine.gc.prepareUncommitted('frozen'), refused);
    await assert.rejects(engine.gc.setRules('frozen', { defaultRetentionDays: 1, branches: [] }), refused);
  });

  /** All pages of a preparation. */
  async function pages(id: string, { gc } = engine): Promise<{ location: string; count: number; locations: string[] }> {
    const locations: string[] = [];
    for (let token: string | undefined; ; ) {
      const page = await gc.prepareUncommitted(id, token);
      locations.push(page.location);
      token = page.continuationToken;
      if (token === undefined) return { location: page.location, count: locations.length, locations };
    }
  }

  async function rowsAt(location: string, { block } = engine): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    for (const address of await addressesBelow(block, location)) {
      const bytes = await contentAt(block, address);
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      rows.push(...(await parquetReadObjects({ file, compressors })));
    }
    return rows;
  }

  it('answers an empty location when nothing is uncommitted', async () => {
    const id = await repository('clean');
    assert.equal((await pages(id)).location, '');
  });

  it('answers the location on the last page, although clean branches come last', async () => {
    const id = await repository('paged');
    for (const branch of ['a', 'b', 'zz']) await engine.catalog.createBranch(id, branch, 'main');
    const addresses = [await put(id, 'a', 'x'), await put(id, 'b', 'y,z'), await put(id, 'b', 'old')];
    addresses.push(await put(id, 'b', 'old'));
    await engine.catalog.deleteObject(id, 'a', 'nothing');
    const { location, count, locations } = await pages(id);
    assert.ok(count > 1, 'the interval ends pages');
    assert.match(location, /^mem:\/\/bucket\/paged\/_srv\/retention\/gc\/uncommitted\/[0-9a-v]{20}\/uncommitted\/$/);
    assert.ok(
      locations.slice(1).every(l => l === location),
      locations.join(),
    );
    const rows = await rowsAt(location);
    // The third address is hidden by the fourth; both may be asked for by a request under way.
    assert.deepEqual(rows.map(row => String(row['physical_address'])).toSorted(), addresses.filter((_, i) => i !== 2).toSorted());
    for (const row of rows) assert.ok(Math.abs(Number(row['creation_date']) - Date.now() / 1000) < 100);
    for (const address of await addressesBelow(engine.block, location)) assert.match(address, /\/[0-9a-v]{20}$/);
  });

  it('includes a value that repeats the content of a committed one at another address', async () => {
    const id = await repository('same');
    await put(id, 'main', 'x');
    await engine.catalog.commit(id, 'main', commit);
    const again = await put(id, 'main', 'x');
    const { location } = await pages(id);
    assert.deepEqual(
      (await rowsAt(location)).map(row => row['physical_address']),
      [again],
    );
  });

  it('makes addresses inside the namespace relative and leaves others out', async () => {
    const id = await repository('full');
    const owner = await engine.catalog.getRepository(id);
    const stage = (path: string, address: string): Promise<unknown> =>
      engine.catalog.stageEntry(owner, 'main', path, { address, addressType: identifierType.full, size: 1, etag: 'e' });
    await stage('in', 'mem://bucket/full/data/p/q');
    await stage('out', 'mem://bucket/fullish/data/p/q');
    assert.deepEqual(
      (await rowsAt((await pages(id)).location)).map(row => row['physical_address']),
      ['data/p/q'],
    );
  });

  it('includes partitions that a failed commit has sealed', async () => {
    const id = await repository('sealed');
    const address = await put(id, 'main', 'x');
    engine.kernel.hooks.event.for('pre-commit').tap('gc', event => {
      if (event.repository === id) throw new Error('refused');
    });
    await assert.rejects(engine.catalog.commit(id, 'main', commit));
    const later = await put(id, 'main', 'y');
    assert.deepEqual(
      (await rowsAt((await pages(id)).location)).map(row => String(row['physical_address'])).toSorted(),
      [address, later].toSorted(),
    );
  });

  it('continues when a branch vanishes between pages', async () => {
    const id = await repository('vanish');
    for (const branch of ['a', 'b', 'c']) {
      await engine.catalog.createBranch(id, branch, 'main');
    }
    const address = await put(id, 'a', 'x');
    let page = await engine.gc.prepareUncommitted(id);
    await engine.catalog.deleteBranch(id, 'c');
    await engine.catalog.deleteBranch(id, 'b');
    while (page.continuationToken !== undefined) page = await engine.gc.prepareUncommitted(id, page.continuationToken);
    assert.deepEqual(
      (await rowsAt(page.location)).map(row => row['physical_address']),
      [address],
    );
  });

  it('lists what is gathered in a new partition while it is read, in one page or several', async t => {
    for (const interval of ['1h', '1ns']) {
      const paged = new PagedKv();
      const own = await openEngine({ kv: paged, config: { 'ugc.prepare_interval': interval } });
      t.after(() => own.stop());
      const id = await addRepository(own, 'gathered');
      // More than a page of the database has.
      const addresses = await Promise.all(Array.from({ length: 150 }, (_, i) => putText(own, id, 'main', `${i}`)));
      const { stagingToken } = await own.catalog.getBranch(id, 'main');
      paged.afterPage(stagingToken, () => gatherStaged(own, id, 'main'));
      const { location } = await pages(id, own);
      assert.equal(paged.isWaiting, false);
      const listed = new Set((await rowsAt(location, own)).map(row => String(row['physical_address'])));
      assert.deepEqual([...listed].toSorted(), addresses.toSorted(), interval);
    }
  });

  it('refuses a token that is not its own', async () => {
    const id = await repository('tokens');
    const forged = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
    const good = { branch: 'main', path: '', run_id: 'coddo7tpocvs73ftd7u0', key: '' };
    for (const token of ['x', forged({}), forged({ ...good, run_id: '../../x' }), forged({ ...good, branch: 'a/b' })])
      await assert.rejects(engine.gc.prepareUncommitted(id, token), (error: unknown) => isSrvError(error, 'invalid'), token);
  });

  it('writes two required columns, packed with GZIP', async () => {
    const id = await repository('format');
    await put(id, 'main', 'x');
    const [address = ''] = await addressesBelow(engine.block, (await pages(id)).location);
    const bytes = await contentAt(engine.block, address);
    const { schema, row_groups } = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer);
    assert.deepEqual(
      schema.slice(1).map(({ name, type, converted_type, repetition_type }) => [name, type, converted_type, repetition_type]),
      [
        ['physical_address', 'BYTE_ARRAY', 'UTF8', 'REQUIRED'],
        ['creation_date', 'INT64', 'INT_64', 'REQUIRED'],
      ],
    );
    assert.deepEqual(
      row_groups[0]?.columns.map(c => c.meta_data?.codec),
      ['GZIP', 'GZIP'],
    );
  });

  it('keeps rules in the namespace, and none when they are deleted', async () => {
    const id = await repository('rules');
    const rules = { defaultRetentionDays: 3, branches: [{ branchId: 'main', retentionDays: 9 }] };
    await engine.gc.setRules(id, rules);
    assert.deepEqual((await engine.gc.getRules(id)).rules, rules);
    await engine.gc.deleteRules(id);
    const file = {
      namespace: 'mem://bucket/rules',
      identifier: '_srv/retention/gc/rules/config.json',
      identifierType: identifierType.relative,
    };
    assert.equal((await buffer(await engine.block.get(file))).length, 0);
    await assert.rejects(engine.gc.getRules(id), (error: unknown) => isSrvError(error, 'not_found'));
  });
});
