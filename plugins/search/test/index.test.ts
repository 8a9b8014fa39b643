/** The index of random histories, compared with naive listings. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCount } from '@srv/kernel/testing';
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
  for (let i = 0; i < 2; i++) it(`equals a naive listing with the last author of each object, random history ${i}`, testRandomHistory);

  it('is whole or absent wherever its indexer dies, and the next one completes it', async t => {
    // The server would index what it selects in the background, in the middle of a round.
    const { opened, commits, found } = await openHistory(t, runCount(10, 25), []);
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
        await next.files.texts(found, range.id, 'path');
        await next.files.attribution(found, range);
      }
    }
    assert.equal(died, await indexFiles(opened), 'once for each file');
    assert.ok(died > 8, `it died at ${died} steps`);
    await opened.search.setSettings(repository, { branches: ['*'] });
    await everyCommitIsRight(opened, [...commits, head]);
  });

  it('is the same when two servers make it at once', async t => {
    const { opened, commits, found } = await openHistory(t, runCount(15, 25));
    const [one, other] = [indexerOn(t, opened), indexerOn(t, opened)];
    await one.indexer.clear(found);
    await Promise.all(commits.flatMap(id => [one.indexer.ensure(found, id), other.indexer.ensure(found, id)]));
    for (const id of commits) assert.deepEqual(await one.files.snapshot(found, id), await other.files.snapshot(found, id));
    await everyCommitIsRight(opened, commits);
  });

  it('is made again where another server has removed it', async t => {
    const { opened, commits, found } = await openHistory(t, runCount(15, 25));
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
