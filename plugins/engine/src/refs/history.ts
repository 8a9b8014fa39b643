/** The log of a ref, newest commit first, with its filters (versioning rules, section 8.5). */
import { pageSize } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { sameIdentity } from '../tables/format/index.js';
import { CommitQueue } from './commit-queue.js';
import { walkUnmerged } from './unmerged-history.js';
import type { CommittedStore } from '../tables/contract.js';
import type { Commit, LogRequest, Page, Repository } from './contract.js';

export interface HistorySources {
  readonly committed: CommittedStore;
  readonly get: (id: string) => Promise<Commit>;
  readonly resolve: (ref: string) => Promise<Commit>;
}

/** Every commit that can be reached, by date, then id, both descending; parents after their children are seen. */
export async function* walkHistory(
  start: Commit,
  { firstParent = false, since }: Pick<LogRequest, 'firstParent' | 'since'>,
  get: HistorySources['get'],
): AsyncGenerator<Commit> {
  const tooOld = (commit: Commit): boolean => since !== undefined && commit.creationDate < since;
  const queue = new CommitQueue((a, b) => b.creationDate.getTime() - a.creationDate.getTime() || (a.id < b.id ? 1 : -1));
  const seen = new Set([start.id]);
  if (!tooOld(start)) queue.push(start);
  for (let commit = queue.pop(); commit; commit = queue.pop()) {
    yield commit;
    for (const id of firstParent ? commit.parents.slice(0, 1) : commit.parents) {
      if (seen.has(id)) continue;
      seen.add(id);
      const parent = await get(id);
      if (!tooOld(parent)) queue.push(parent);
    }
  }
}

export async function logPage(repository: Repository, start: Commit, request: LogRequest, sources: HistorySources): Promise<Page<Commit>> {
  const limit = pageSize(request.amount);
  const after = request.after ? (await sources.resolve(request.after)).id : undefined;
  const stopAt = request.stopAt ? (await sources.resolve(request.stopAt)).id : undefined;
  const excluded = request.exclude ? await sources.resolve(request.exclude) : undefined;
  const wanted = pathFilter(repository, request, sources);
  const results: Commit[] = [];
  let skipping = after !== undefined;
  const walk = excluded ? walkUnmerged(start, excluded, request, sources.get) : walkHistory(start, request, sources.get);
  for await (const commit of walk) {
    const last = commit.id === stopAt;
    if (!skipping && !(request.noMerges && commit.parents.length > 1) && (await wanted(commit))) {
      if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.id ?? '' };
      results.push(commit);
      if (request.limit && results.length === limit) break;
    }
    if (commit.id === after) skipping = false;
    if (last) break;
  }
  return { results, hasMore: false, nextOffset: '' };
}

/** Whether a commit with one parent changed one of the objects, or something below one of the prefixes. */
function pathFilter(
  repository: Repository,
  { objects = [], prefixes = [] }: LogRequest,
  { committed, get }: HistorySources,
): (commit: Commit) => Promise<boolean> {
  const keys = objects.filter(Boolean).map(path => Buffer.from(path, 'utf8'));
  const starts = prefixes.filter(Boolean).map(path => Buffer.from(path, 'utf8'));
  if (keys.length === 0 && starts.length === 0) return () => Promise.resolve(true);
  const namespace = namespaceOf(repository);
  return async commit => {
    if (commit.parents.length !== 1) return false;
    const [left, right] = [(await get(commit.parents[0] ?? '')).metarangeId, commit.metarangeId];
    if (left === right) return false;
    for (const key of keys) if (await changedAt(committed, namespace, left, right, key)) return true;
    for (const prefix of starts) {
      for await (const page of committed.diff({ namespace, left, right, prefix })) if (page.length > 0) return true;
    }
    return false;
  };
}

/** Whether an object is another one in the right metarange. */
export async function changedAt(committed: CommittedStore, namespace: string, left: string, right: string, key: Buffer): Promise<boolean> {
  const [leftRange, rightRange] = await Promise.all([committed.rangeOf(namespace, left, key), committed.rangeOf(namespace, right, key)]);
  if (leftRange === rightRange) return false;
  const [before, after] = await Promise.all([committed.get(namespace, left, key), committed.get(namespace, right, key)]);
  return before === undefined || after === undefined ? before !== after : !sameIdentity(before, after);
}
