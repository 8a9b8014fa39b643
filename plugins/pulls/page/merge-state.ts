/** Whether a pull request can be merged as its branches are now. */
import { call, useAsync } from '@srv/lib-page/page';
// Completes the types of operations.
import type {} from '@srv/engine/operations';
import type { PullRequest } from './shapes.js';

export interface MergeState {
  /** Why it cannot be merged; `undefined` where it can, or while it is not known. */
  readonly refusal: string | undefined;
  /** Paths that both branches changed, the first of them. */
  readonly conflicts: readonly string[];
  /** There may be more. */
  readonly isCut: boolean;
}

/** Pages of a thousand changes that are looked through, and conflicts that are named. */
const [mostPages, mostConflicts] = [10, 20];

/** @param turn another number: look again. */
export function useMergeState(repository: string, pull: PullRequest, turn: number): MergeState {
  const { status, source_branch: source, destination_branch: destination } = pull;
  const isOpen = status === 'open';
  const found = useAsync(
    signal => (isOpen ? look(repository, pull, signal) : Promise.resolve(undefined)),
    [repository, destination, source, isOpen, turn],
  );
  const none = { conflicts: [], isCut: false };
  if (found.state === 'failed') return { ...none, refusal: 'a branch of it does not exist any more' };
  if (found.state === 'loading' || found.value === undefined) return { ...none, refusal: undefined };
  const { isEmpty, conflicts, isCut } = found.value;
  const refusal = isEmpty
    ? `${destination} already has everything of ${source}: it was merged elsewhere, or has no changes`
    : conflicts.length > 0
      ? 'both branches changed the same objects: settle the conflicts first'
      : undefined;
  return { refusal, conflicts, isCut };
}

async function look(repository: string, { source_branch: source, destination_branch: destination }: PullRequest, signal: AbortSignal) {
  const conflicts: string[] = [];
  for (let page = 0, after = ''; ; page++) {
    const input = { repository, leftRef: destination, rightRef: source, after, amount: 1000 };
    const { results, pagination } = await call('diffRefs', input, { signal });
    conflicts.push(...results.filter(({ type }) => type === 'conflict').map(({ path }) => path));
    if (!pagination.has_more || page + 1 === mostPages || conflicts.length > mostConflicts)
      return {
        isEmpty: page === 0 && results.length === 0,
        conflicts: conflicts.slice(0, mostConflicts),
        isCut: pagination.has_more || conflicts.length > mostConflicts,
      };
    after = pagination.next_offset;
  }
}

/** The commit that both branches come from; the destination for users who may not see it, and for unrelated branches. */
export async function mergeBaseOf(
  repository: string,
  { source_branch: sourceRef, destination_branch: destinationBranch }: PullRequest,
  signal: AbortSignal,
): Promise<string> {
  const found = await call('findMergeBase', { repository, sourceRef, destinationBranch }, { signal }).catch(() => undefined);
  return found?.base_commit_id || destinationBranch;
}
