/** Random histories whose commits are indexed, and the check that an index equals a naive listing. */
import assert from 'node:assert/strict';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { all, newRepository, openSearch } from './fixture.js';
import { NaiveReader, randomHistory } from './histories.js';
import type { TestContext } from 'node:test';
import type { FoundObject } from '../src/contract.js';
import type { OpenSearch } from './fixture.js';

export const repository = 'zoo';

export async function everyCommitIsRight(opened: OpenSearch, commits: readonly string[]): Promise<void> {
  const naive = new NaiveReader(opened.engine, repository);
  for (const id of commits) {
    const rows = [...(await naive.rows(id))];
    const expected: FoundObject[] = [];
    for (const [path, { entry, commitId }] of rows) {
      const { size, lastModified, etag, metadata, contentType } = entry;
      const { committer } = await naive.commit(commitId);
      expected.push({ path, size, lastModified, etag, metadata, commitId, committer, contentType });
    }
    assert.deepEqual(await all(opened.search.rows(repository, id)), expected, `commit ${id}`);
  }
}

/** Entries of a range, on average: of many small ranges a commit shares most, of few large ones it changes little. */
export type RangeEntries = 6 | 40;

interface HistoryOptions {
  /** Of the branches that the server indexes in the background, from the beginning. */
  readonly patterns?: readonly string[];
  readonly rangeEntries?: RangeEntries;
}

export async function openHistory(t: TestContext, steps: number, { patterns = ['*'], rangeEntries = 6 }: HistoryOptions = {}) {
  const random = seededRandom();
  t.diagnostic(`seed ${random.seed}`);
  const opened = await openSearch(t, { config: { 'committed.permanent.range_raggedness_entries': rangeEntries } });
  const found = await newRepository(opened.engine);
  if (patterns.length > 0) await opened.search.setSettings(repository, { branches: patterns });
  const commits = await randomHistory(opened.engine, repository, random, steps);
  return { opened, random, commits, found };
}

/** One random history, whose every commit is compared. */
export async function testRandomHistory(t: TestContext, rangeEntries: RangeEntries): Promise<void> {
  const { opened, commits } = await openHistory(t, runCount(25, 40), { rangeEntries });
  await everyCommitIsRight(opened, commits);
}
