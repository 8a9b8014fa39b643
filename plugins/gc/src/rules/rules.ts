/** Retention rules: what they are, which are acceptable, and how many days a branch has. */
import { SrvError, messageOf } from '@srv/kernel';
import { checkBranchId } from '@srv/lib-records';
import { branchSyntax, parseGlob } from '@srv/lib-records/glob';
import type { Glob } from '@srv/lib-records/glob';

export interface BranchRule {
  readonly branchId: string;
  readonly retentionDays: number;
}

export interface PatternRule {
  /** Glob over the whole branch name, in the syntax of branch protection. */
  readonly pattern: string;
  readonly retentionDays: number;
}

/** Whether the commit a tag points at stays: never, always, or while the commit is younger than some days. */
export type TagRetention = { readonly keep: 'none' } | { readonly keep: 'all' } | { readonly keep: 'days'; readonly retentionDays: number };

export interface Rules {
  readonly defaultRetentionDays: number;
  readonly branches: readonly BranchRule[];
  /** Of several that match the longest retention counts; a rule for the very branch comes first. */
  readonly patterns?: readonly PatternRule[] | undefined;
  /** Absent: all. */
  readonly tags?: TagRetention | undefined;
  /** Newest commits of every branch that stay however old they are; at least the head does. */
  readonly keepLastCommits?: number | undefined;
}

/** Numbers are stored with 32 bits. */
const maxDays = 2 ** 31 - 1;
const maxPatternBytes = 1024;

/** @throws SrvError `invalid` that names the rule and the remedy. */
export function checkRules({ defaultRetentionDays, branches, patterns = [], tags, keepLastCommits }: Rules): void {
  checkDays(defaultRetentionDays, 'default_retention_days');
  for (const { branchId, retentionDays } of branches) {
    checkBranchId(branchId, 'branch_id');
    checkDays(retentionDays, `retention_days of branch ${branchId}`);
  }
  refuseTwice(
    branches.map(rule => rule.branchId),
    'branch',
  );
  for (const { pattern, retentionDays } of patterns) {
    if (pattern === '' || Buffer.byteLength(pattern) > maxPatternBytes)
      throw new SrvError('invalid', `pattern ${JSON.stringify(pattern)}: it must have 1 to ${maxPatternBytes} bytes`);
    compile(pattern);
    checkDays(retentionDays, `retention_days of pattern ${pattern}`);
  }
  refuseTwice(
    patterns.map(rule => rule.pattern),
    'pattern',
  );
  if (tags?.keep === 'days') checkDays(tags.retentionDays, 'retention_days of tags');
  if (keepLastCommits !== undefined) checkDays(keepLastCommits, 'keep_last_commits');
}

/** Days of every branch, by name. */
export function retentionOf({ defaultRetentionDays, branches, patterns = [] }: Rules): (branch: string) => number {
  const exact = new Map(branches.map(rule => [rule.branchId, rule.retentionDays]));
  const globs = patterns.map(({ pattern, retentionDays }) => ({ glob: compile(pattern), retentionDays }));
  return branch => {
    const own = exact.get(branch);
    if (own !== undefined) return own;
    const matching = globs.filter(({ glob }) => glob.matches(branch)).map(rule => rule.retentionDays);
    return matching.length > 0 ? Math.max(...matching) : defaultRetentionDays;
  };
}

function compile(pattern: string): Glob {
  try {
    return parseGlob(pattern, branchSyntax);
  } catch (error) {
    throw new SrvError('invalid', `pattern ${JSON.stringify(pattern)}: ${messageOf(error)}; use * ? [a-z] {a,b}`, { cause: error });
  }
}

function checkDays(value: number, what: string): void {
  if (!Number.isInteger(value) || value < 0 || value > maxDays)
    throw new SrvError('invalid', `${what}: invalid value: ${value}; a whole number from 0 to ${maxDays} is expected`);
}

function refuseTwice(names: readonly string[], what: string): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SrvError('invalid', `${what} ${JSON.stringify(twice)} has two rules; keep one of them`);
}
