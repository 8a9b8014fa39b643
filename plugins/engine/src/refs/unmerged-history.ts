/** Commits that one commit leads to and another does not: what a merge would bring. */
import { CommitQueue } from './commit-queue.js';
import type { Commit, LogRequest } from './contract.js';

/**
 * By generation, so that each commit comes after all of its descendants, and it is known of each whether the other commit leads to
 * it. Ends as soon as it leads to all that is left, however long the history is.
 */
export async function* walkUnmerged(
  start: Commit,
  excluded: Commit,
  { firstParent = false, since }: Pick<LogRequest, 'firstParent' | 'since'>,
  get: (id: string) => Promise<Commit>,
): AsyncGenerator<Commit> {
  const queue = new CommitQueue(
    (a, b) => b.generation - a.generation || b.creationDate.getTime() - a.creationDate.getTime() || (a.id < b.id ? 1 : -1),
  );
  /** Whether the other commit leads to it, of each commit that was found. */
  const merged = new Map([[excluded.id, true]]);
  queue.push(excluded);
  let open = 0;
  const find = async (id: string, isMerged: boolean): Promise<void> => {
    const before = merged.get(id);
    if (before === undefined) {
      queue.push(await get(id));
      if (!isMerged) open++;
    } else if (!before && isMerged) open--;
    merged.set(id, isMerged || before === true);
  };
  await find(start.id, false);
  for (let commit = queue.pop(); commit && open > 0; commit = queue.pop()) {
    const isMerged = merged.get(commit.id) === true;
    if (!isMerged) {
      open--;
      if (since === undefined || commit.creationDate >= since) yield commit;
    }
    for (const id of firstParent && !isMerged ? commit.parents.slice(0, 1) : commit.parents) await find(id, isMerged);
  }
}
