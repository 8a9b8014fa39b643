/** Which commit changed each of some paths last: one walk of the history for all of them, within bounds. */
import { namespaceOf } from '@srv/lib-stores/block';
import { changedAt, walkHistory } from './history.js';
import type { CommittedStore } from '../tables/contract.js';
import type { Commit, LastCommits, LastCommitsRequest, Repository } from './contract.js';
import type { HistorySources } from './history.js';

/** Commits that are looked at, and milliseconds that this may take, unless the request says otherwise. */
const [mostCommits, mostMs] = [1000, 2000];
/** Differences of a commit that are walked; paths are looked up one by one in larger ones. */
const mostDifferences = 1000;

/** @param request.paths objects, and folders with a trailing slash. As in the log of a path, merges are not counted as changes. */
export async function lastCommits(
  repository: Repository,
  start: Commit,
  { paths, amount = mostCommits, timeMs = mostMs, signal }: LastCommitsRequest,
  { committed, get }: Pick<HistorySources, 'committed' | 'get'>,
): Promise<LastCommits> {
  const pending = new Set(paths);
  const prefix = sharedFolder(paths);
  const commits = new Map<string, Commit>();
  const end = performance.now() + timeMs;
  let looked = 0;
  for await (const commit of walkHistory(start, {}, get)) {
    if (pending.size === 0) break;
    if (looked === amount || performance.now() > end) return { commits, looked, isWhole: false };
    signal?.throwIfAborted();
    looked++;
    if (commit.parents.length !== 1) continue;
    const left = (await get(commit.parents[0] ?? '')).metarangeId;
    if (left === commit.metarangeId) continue;
    const pair = { committed, namespace: namespaceOf(repository), left, right: commit.metarangeId };
    for (const path of await changedPaths(pair, pending, prefix)) {
      commits.set(path, commit);
      pending.delete(path);
    }
  }
  return { commits, looked, isWhole: true };
}

interface Pair {
  readonly committed: CommittedStore;
  readonly namespace: string;
  /** Metaranges. */
  readonly left: string;
  readonly right: string;
}

/** Which of the pending paths differ. @param prefix of all of them. */
async function changedPaths({ committed, ...pair }: Pair, pending: ReadonlySet<string>, prefix: string): Promise<readonly string[]> {
  const found = new Set<string>();
  let walked = 0;
  for await (const page of committed.diff({ ...pair, prefix: Buffer.from(prefix, 'utf8') })) {
    for (const { key } of page) {
      const path = key.toString('utf8');
      if (pending.has(path)) found.add(path);
      for (let slash = path.indexOf('/', prefix.length); slash >= 0; slash = path.indexOf('/', slash + 1)) {
        const folder = path.slice(0, slash + 1);
        if (pending.has(folder)) found.add(folder);
      }
    }
    walked += page.length;
    if (found.size === pending.size) break;
    if (walked > mostDifferences) {
      for (const path of pending) if (!found.has(path) && (await isChanged({ committed, ...pair }, path))) found.add(path);
      break;
    }
  }
  return [...found];
}

async function isChanged({ committed, namespace, left, right }: Pair, path: string): Promise<boolean> {
  const key = Buffer.from(path, 'utf8');
  if (!path.endsWith('/')) return changedAt(committed, namespace, left, right, key);
  for await (const page of committed.diff({ namespace, left, right, prefix: key })) if (page.length > 0) return true;
  return false;
}

/** The folder that all of the paths are in, with a trailing slash; empty: the root. */
function sharedFolder([first = '', ...others]: readonly string[]): string {
  let folder = folderOf(first);
  for (const path of others) while (folder !== '' && (!path.startsWith(folder) || path === folder)) folder = folderOf(folder);
  return folder;
}

/** The folder that an object or a folder is in: always shorter than its path, that of `/` is the root. */
function folderOf(path: string): string {
  return path.slice(0, path.slice(0, -1).lastIndexOf('/') + 1);
}
