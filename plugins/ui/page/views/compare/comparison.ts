/** What is known of two refs before their differences are read. */
import { call, useAsync } from '@srv/lib-page/page';
import { resolveRef } from '../../core/refs.js';
import type { AsyncData } from '@srv/lib-page/page';

interface Comparison {
  readonly base: RefKind;
  readonly compared: RefKind;
  readonly differ: boolean;
  readonly mergeBase: string | undefined;
}

type RefKind = Awaited<ReturnType<typeof resolveRef>>['kind'];

/** @param turn another number: look again. */
export function useComparison(repository: string, base: string, compared: string, turn: number): AsyncData<Comparison> {
  return useAsync(
    async signal => {
      const [left, right, differ] = await Promise.all([
        resolveRef(repository, base, signal),
        resolveRef(repository, compared, signal),
        base !== compared && anyDifference(repository, base, compared, signal),
      ]);
      const mergeBase = base === compared ? undefined : await mergeBaseOf(repository, base, compared, signal);
      return { base: left.kind, compared: right.kind, differ, mergeBase };
    },
    [repository, base, compared, turn],
  );
}

async function anyDifference(repository: string, leftRef: string, rightRef: string, signal: AbortSignal): Promise<boolean> {
  const { results } = await call('diffRefs', { repository, leftRef, rightRef, amount: 1 }, { signal });
  return results.length > 0;
}

/** Nothing, if the commits have no history in common. */
async function mergeBaseOf(repository: string, base: string, compared: string, signal: AbortSignal): Promise<string | undefined> {
  const input = { repository, sourceRef: compared, destinationBranch: base };
  const found = await call('findMergeBase', input, { signal }).catch(() => undefined);
  return found?.base_commit_id;
}

interface MergeSides {
  readonly base: string;
  readonly compared: string;
  readonly readOnly: boolean;
  /** Absent: it is not known yet. */
  readonly known: Comparison | undefined;
}

/** @returns why one side cannot be merged into the other, by any user. */
export function mergeRefusal({ base, compared, readOnly, known }: MergeSides): string | undefined {
  if (base === compared) return 'both sides are the same';
  if (readOnly) return 'this repository is read-only';
  if (!known) return undefined;
  if (known.base !== 'branch' || known.compared !== 'branch') return 'both sides have to be branches';
  return known.differ ? undefined : 'there is nothing to merge';
}
