/** The index of random histories, compared with naive listings. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import { changesFile, filesOf, rangeFile } from '../src/index/index-files.js';
import { dyingStore, indexerOn } from './fixture.js';
import { NaiveReader } from './histories.js';
import { everyCommitIsRight, openHistory, repository, testRandomHistory } from './indexed-histories.js';
import type { OpenSearch } from './fixture.js';

/** How many files the index has. */
async function indexFiles({ block }: OpenSearch): Promise<number> {
  let count = 0;
  for await (const page of block.walk('mem://bucket/zoo/_srv/search/')) count += page.length;
  return count;
}

describe('the index of a commit', () => {
  for (const rangeEntries of [6, 40] as const)
    it(`equals a naive listing with the last author of each object, random history with ranges of ${rangeEntries}`, t =>
      testRandomHistory(t, rangeEntries));

  it('is whole or absent wherever its indexer dies, and the next one completes it', async t => {
    // The server would index what it selects in the background, in the middle of a round.
    const { opened, commits, found } = await openHistory(t, runCount(10, 25), { patterns: [], rangeEntries: 40 });
    // Whatever the random history led to, there are several commits of several ranges, with entries of several authors.
    await opened.engine.resetBranch(repository, 'main', { type: 'all' });
    let head = '';
    for (let i = 0; i < 3; i++) {
      for (let n = 0; n < 20; n++) await opened.engine.putObject(repository, 'main', `last/${n * (i + 1)}`, Buffer.from(`${i}`));
      head = (await opened.engine.commit(repository, 'main', { committer: 'ann', message: `last ${i}` })).id;
    }
    let died = 0;
    for (let alive = 0; ; alive++) {
      await indexerOn(t, opened).indexer.clear(found);
      assert.equal(await indexFiles(opened), 0, 'the index is removed');
      const block = dyingStore(opened.block, alive);
      const { indexer } = indexerOn(t, { ...opened, block });
      const failure = await indexer.ensure(found, head).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!failure) break;
      died++;
      assert.match(String(failure), /the process has died/);
      const next = indexerOn(t, opened);
      const before = await next.files.findSnapshot(found, head);
      assert.equal(before, undefined, 'a commit appears last');
      const snapshot = await next.indexer.ensure(found, head);
      // Every file that it names is there.
      for (const range of snapshot.ranges) {
        await next.files.texts(found, rangeFile(range.id), 'path');
        await next.files.attribution(found, range);
      }
      const { changes } = snapshot;
      if (!changes) continue;
      await next.files.whole(found, changesFile(changes.id), changes.count);
      await next.files.attribution(found, changes);
    }
    assert.equal(died, await indexFiles(opened), 'once for each file');
    assert.ok(died > 8, `it died at ${died} steps`);
    await opened.search.setSettings(repository, { branches: ['*'] });
    await everyCommitIsRight(opened, [...commits, head]);
  });

  it('is the same when two servers make it at once', async t => {
    const { opened, commits, found } = await openHistory(t, runCount(15, 25), { rangeEntries: 40 });
    const [one, other] = [indexerOn(t, opened), indexerOn(t, opened)];
    await one.indexer.clear(found);
    await Promise.all(commits.flatMap(id => [one.indexer.ensure(found, id), other.indexer.ensure(found, id)]));
    for (const id of commits) assert.deepEqual(await one.files.snapshot(found, id), await other.files.snapshot(found, id));
    await everyCommitIsRight(opened, commits);
  });

  it('costs the changes of a commit, not the ranges they are in, until they are many', async t => {
    const { opened, found } = await openHistory(t, 0, { patterns: [], rangeEntries: 40 });
    const { engine, search } = opened;
    const { files, indexer } = indexerOn(t, opened);
    const commits: string[] = [];
    const commit = async (paths: Iterable<number>, content: string): Promise<string> => {
      for (const n of paths) await engine.putObject(repository, 'main', `f/${String(n).padStart(4, '0')}`, Buffer.from(content));
      const { id } = await engine.commit(repository, 'main', { committer: content, message: content });
      commits.push(id);
      return id;
    };
    const every = (step: number, from = 0): number[] => Array.from({ length: 400 / step }, (_, i) => from + i * step);
    const first = await indexer.ensure(found, await commit(every(1), 'ann'));
    assert.equal(first.changes, undefined);
    const names = async (id: string): Promise<ReadonlySet<string>> => new Set(filesOf(await indexer.ensure(found, id)));
    const base = await names(first.commit);
    const spread = await indexer.ensure(found, await commit(every(40), 'bob'));
    assert.equal(spread.changes?.count, 10);
    assert.deepEqual(
      spread.ranges.map(({ id }) => id),
      first.ranges.map(({ id }) => id),
      'no range is indexed again',
    );
    await engine.deleteObject(repository, 'main', 'f/0003');
    const second = await indexer.ensure(found, await commit(every(80), 'cay'));
    assert.equal(second.changes?.count, 11, 'the changes of both, each path once');
    // A branch of it that goes back, and a merge of both.
    await engine.createBranch(repository, 'dev', 'main');
    await engine.revert(repository, 'dev', { ref: commits[1] ?? '', committer: 'dan', allowEmpty: true }).catch(() => undefined);
    await engine.putObject(repository, 'dev', 'f/0111', Buffer.from('dan'));
    commits.push((await engine.commit(repository, 'dev', { committer: 'dan', message: 'dan' })).id);
    await commit([222], 'eve');
    const merged = await engine.merge(repository, 'dev', 'main', { committer: 'eve' });
    commits.push(merged.id);
    assert.equal((await indexer.ensure(found, merged.id)).changes?.count, 13);
    const many = await indexer.ensure(found, await commit(every(4, 1), 'fay'));
    assert.ok((many.changes?.count ?? 0) < 13, 'many changes: the ranges of the commit');
    const last = await indexer.ensure(found, await commit([5], 'gus'));
    assert.ok([...(await names(many.commit))].some(name => !base.has(name)));
    for (const { id } of last.ranges) await files.texts(found, rangeFile(id), 'path');
    await search.setSettings(repository, { branches: ['*'] });
    await everyCommitIsRight(opened, commits);
  });

  it('is made again where another server has removed it', async t => {
    const { opened, commits, found } = await openHistory(t, runCount(15, 25), { rangeEntries: 40 });
    await everyCommitIsRight(opened, commits);
    await indexerOn(t, opened).indexer.clear(found);
    await everyCommitIsRight(opened, commits);
    await opened.search.rebuild(repository);
    await everyCommitIsRight(opened, commits);
  });
});

describe('the journal', () => {
  it('leads from the empty repository to every head', async t => {
    const { opened, commits } = await openHistory(t, runCount(25, 40));
    const naive = new NaiveReader(opened.engine, repository);
    for (const head of commits.slice(-5)) {
      const entries = [];
      for (let after = ''; ; ) {
        const page = await opened.search.journal(repository, head, { after, amount: 7 });
        entries.push(...page.results);
        if (!page.hasMore) break;
        after = page.nextOffset;
      }
      const state = new Map<string, { size: number; etag: string }>();
      for (const { path, operation, before, after } of [...entries].reverse()) {
        assert.deepEqual(before, state.get(path), `${operation} ${path}`);
        if (after) state.set(path, after);
        else state.delete(path);
      }
      const expected = [...(await naive.rows(head))].map(([path, { entry }]) => [path, { size: entry.size, etag: entry.etag }]);
      assert.deepEqual(
        [...state].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        expected,
      );
    }
  });
});

describe('usage by prefix', () => {
  it('adds up what is listed, and what no other branch has', async t => {
    const { opened } = await openHistory(t, runCount(25, 40));
    const { engine, search } = opened;
    const naive = new NaiveReader(engine, repository);
    const { results: branches } = await engine.listBranches(repository);
    for (const { id, commitId } of branches) {
      const others = await Promise.all(branches.filter(branch => branch.id !== id).map(branch => naive.rows(branch.commitId)));
      const expected = new Map<string, readonly number[]>();
      for (const [path, { entry }] of await naive.rows(commitId)) {
        const group = path.includes('/') ? `${path.split('/')[0]}/` : path;
        const [objects = 0, bytes = 0, unique = 0, uniqueBytes = 0] = expected.get(group) ?? [];
        const isUnique = others.every(rows => rows.get(path)?.entry.etag !== entry.etag);
        expected.set(group, [objects + 1, bytes + entry.size, unique + (isUnique ? 1 : 0), uniqueBytes + (isUnique ? entry.size : 0)]);
      }
      const found = new Map<string, readonly number[]>();
      for (let after = ''; ; ) {
        const page = await search.usage(repository, id, { after, amount: 2 });
        for (const { path, ...counts } of page.results)
          found.set(path, [counts.objects, counts.bytes, counts.uniqueObjects, counts.uniqueBytes]);
        if (!page.hasMore) break;
        after = page.nextOffset;
      }
      assert.deepEqual([...found], [...expected], id);
      const { results: sum } = await search.usage(repository, id, { delimiter: '' });
      assert.deepEqual(
        sum.map(({ bytes, uniqueBytes }) => [bytes, uniqueBytes]),
        expected.size === 0 ? [] : [[total(expected, 1), total(expected, 3)]],
      );
    }
  });
});

function total(counts: ReadonlyMap<string, readonly number[]>, at: number): number {
  return [...counts.values()].reduce((sum, row) => sum + (row[at] ?? 0), 0);
}
