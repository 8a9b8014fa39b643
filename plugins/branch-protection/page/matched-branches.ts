/** Which branches of a repository match a pattern. */
import { call, counted, grouped, useAsync } from '@srv/lib-page/page';
import { matchesPattern } from './branch-pattern.js';

export interface Matched {
  readonly names: readonly string[];
  /** Branches that were compared, where the repository has more. */
  readonly among?: number | undefined;
}

/** Branches that are read, and how many of them at a time. */
const [most, atOnce] = [10_000, 1000];

/** @returns the branches that match a pattern; `undefined` until they are known. */
export function useMatched(repository: string): (pattern: string) => Matched | undefined {
  const branches = useAsync(signal => readBranches(repository, signal), [repository]);
  if (branches.state !== 'ready') return () => undefined;
  const { names, isWhole } = branches.value;
  return pattern => ({ names: names.filter(name => matchesPattern(pattern, name)), among: isWhole ? undefined : names.length });
}

async function readBranches(
  repository: string,
  signal: AbortSignal,
): Promise<{ readonly names: readonly string[]; readonly isWhole: boolean }> {
  const names: string[] = [];
  let after = '';
  while (names.length < most) {
    const { results, pagination } = await call('listBranches', { repository, after, amount: atOnce }, { signal });
    names.push(...results.map(({ id }) => id));
    if (!pagination.has_more) return { names, isWhole: true };
    after = pagination.next_offset;
  }
  return { names, isWhole: false };
}

/** @returns such as `3 of the first 10,000 branches`. */
export function matchedText({ names, among }: Matched): string {
  return among === undefined
    ? counted(names.length, 'branch', 'branches')
    : `${grouped(names.length)} of the first ${counted(among, 'branch', 'branches')}`;
}
