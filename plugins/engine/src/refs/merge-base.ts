/** Best common ancestor of two commits (versioning rules, section 8.4). */

import { CommitQueue } from './commit-queue.js';
import type { Commit } from './contract.js';

const fromLeft = 1;
const fromRight = 2;

/**
 * The first commit that both histories are found to lead to, newest generations being looked at first, parents in their
 * order: of several candidates existing installations choose this one, and merges of equal histories must give equal
 * results. `undefined` when the histories share nothing. Each commit is fetched at most once.
 */
export async function findMergeBase(left: Commit, right: Commit, get: (id: string) => Promise<Commit>): Promise<Commit | undefined> {
  if (left.id === right.id) return left;
  const flags = new Map([
    [left.id, fromLeft],
    [right.id, fromRight],
  ]);
  const fetched = new Map([left, right].map(commit => [commit.id, commit]));
  const queue = new CommitQueue((a, b) => b.generation - a.generation || b.creationDate.getTime() - a.creationDate.getTime());
  queue.push(left);
  queue.push(right);
  for (let commit = queue.pop(); commit; commit = queue.pop()) {
    const reached = flags.get(commit.id) ?? 0;
    for (const id of commit.parents) {
      const now = (flags.get(id) ?? 0) | reached;
      flags.set(id, now);
      const parent = fetched.get(id) ?? (await get(id));
      if (now === (fromLeft | fromRight)) return parent;
      if (fetched.has(id)) continue;
      fetched.set(id, parent);
      queue.push(parent);
    }
  }
  return undefined;
}
