/** Patterns of policies against all resources whose names begin with a prefix. */
import { parseArn } from './arn.js';
import { continues, matches } from './wildcard.js';

/** Whether a pattern covers every resource that begins with `prefix`. @param user inserted for `${user}`. */
export function coversEveryBelow(pattern: string, prefix: string, user: string): boolean {
  if (pattern === '*') return true;
  const ids = comparableIds(pattern, prefix);
  // Only a run at the end matches whatever follows the prefix.
  return ids !== undefined && pattern.endsWith('*') && matches(ids.have, ids.want, { user });
}

/** Whether a pattern covers any resource that begins with `prefix`. @param user inserted for `${user}`. */
export function coversAnyBelow(pattern: string, prefix: string, user: string): boolean {
  if (pattern === '*') return true;
  const ids = comparableIds(pattern, prefix);
  return ids !== undefined && continues(ids.have, ids.want, { user });
}

function comparableIds(pattern: string, prefix: string): { readonly have: string; readonly want: string } | undefined {
  const have = parseArn(pattern);
  const want = parseArn(prefix);
  if (!have || !want || have.partition !== want.partition || have.service !== want.service || have.account !== want.account)
    return undefined;
  return { have: have.resourceId, want: want.resourceId };
}
