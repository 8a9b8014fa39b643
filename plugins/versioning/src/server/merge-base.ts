/** Best common ancestor of two commits (versioning rules, section 8.4). */
import type { Commit } from '../contract.js';
import { CommitQueue } from './commit-queue.js';

const fromLeft = 1;
const fromRight = 2;

/** `undefined` when the histories share nothing. Each commit is fetched at most once. */
export async function findMergeBase(left: Commit, right: Commit, get: (id: string) => Promise<Commit>): Promise<Commit | undefined> {
  if (left.id === right.id) return left;
  const flags = new Map([
    [left.id, fromLeft],
    [right.id, fromRight],
  ]);
  const queue = new CommitQueue((a, b) => b.generation - a.generation || b.creationDate.getTime() - a.creationDate.getTime());
  queue.push(left);
  queue.push(right);
  for (let commit = queue.pop(); commit; commit = queue.pop()) {
    const reached = flags.get(commit.id) ?? 0;
    if (reached === (fromLeft | fromRight)) return commit;
    for (const id of commit.parents) {
      const known = flags.get(id);
      flags.set(id, (known ?? 0) | reached);
      if (known === undefined) queue.push(await get(id));
    }
  }
  return undefined;
}
