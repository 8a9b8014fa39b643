/** Names of users, groups and policies, and pages of them. */
import { SrvError } from '@srv/kernel';

/** `%` in a name breaks clients that put names into paths. The text is one they compare. */
export function refusePercent(kind: string, name: string): void {
  if (name.includes('%')) throw new SrvError('invalid', `${kind} name cannot contain '%'`);
}

export function pageOf<T>(results: readonly T[], hasMore: boolean, nameOf: (item: T) => string) {
  const last = results.at(-1);
  return { results, hasMore, nextOffset: hasMore && last !== undefined ? nameOf(last) : '' };
}
