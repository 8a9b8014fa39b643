/** Rules for objects: what they are, which are acceptable, and which objects have expired. */
import { SrvError } from '@srv/kernel';
import { checkBranchId } from '@srv/lib-records';

export interface ObjectRule {
  readonly id: string;
  /** Exact names. */
  readonly branches: readonly string[];
  /** Empty: all objects; otherwise it ends with a slash. */
  readonly prefix: string;
  readonly expireAfterDays: number;
  readonly description?: string | undefined;
}

/** What a branch has expire, as its rules say together. */
export interface Expiry {
  /** Prefixes none of which begins with another: all objects that a rule is about. */
  readonly prefixes: readonly string[];
  /** The rule with the shortest time for a path; `undefined`: none is about it. */
  readonly ruleOf: (path: string) => ObjectRule | undefined;
}

const dayMs = 86_400_000;
const most = { rules: 1000, branches: 100, days: 36_500, prefixBytes: 1024, descriptionBytes: 4096 };

/** @throws SrvError `invalid` that names the rule and the remedy. */
export function checkObjectRules(rules: readonly ObjectRule[]): void {
  if (rules.length > most.rules) throw new SrvError('invalid', `${rules.length} rules: at most ${most.rules} are possible`);
  for (const [index, rule] of rules.entries()) checkRule(rule, `rules[${index}]`);
  const ids = rules.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new SrvError('invalid', `rule id ${JSON.stringify(twice)}: two rules have it; rename one of them`);
}

function checkRule({ id, branches, prefix, expireAfterDays, description = '' }: ObjectRule, at: string): void {
  if (!/^[a-z0-9-]{1,64}$/.test(id))
    throw new SrvError('invalid', `${at}.id: ${JSON.stringify(id)} must have 1 to 64 characters a-z, 0-9 and -`);
  if (branches.length === 0 || branches.length > most.branches)
    throw new SrvError('invalid', `${at}.branches: ${branches.length} branches; 1 to ${most.branches} are possible`);
  for (const branch of branches) checkBranchId(branch, `${at}.branches`);
  if ((prefix !== '' && !prefix.endsWith('/')) || Buffer.byteLength(prefix) > most.prefixBytes)
    throw new SrvError(
      'invalid',
      `${at}.prefix: ${JSON.stringify(prefix)} must be empty or end with a slash, with at most ${most.prefixBytes} bytes`,
    );
  if (!Number.isSafeInteger(expireAfterDays) || expireAfterDays < 1 || expireAfterDays > most.days)
    throw new SrvError('invalid', `${at}.expire_after_days: ${expireAfterDays} is not a whole number from 1 to ${most.days}`);
  if (Buffer.byteLength(description) > most.descriptionBytes)
    throw new SrvError('invalid', `${at}.description: at most ${most.descriptionBytes} bytes are possible`);
}

/** Branches that rules name, in order of names. */
export function branchesOf(rules: readonly ObjectRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ branches }) => branches))].sort();
}

export function expiryOf(rules: readonly ObjectRule[], branch: string): Expiry {
  const shortestFirst = rules.filter(({ branches }) => branches.includes(branch)).sort((a, b) => a.expireAfterDays - b.expireAfterDays);
  const prefixes = [...new Set(shortestFirst.map(({ prefix }) => prefix))].sort();
  return {
    prefixes: prefixes.filter(prefix => !prefixes.some(other => other !== prefix && prefix.startsWith(other))),
    ruleOf: path => shortestFirst.find(({ prefix }) => path.startsWith(prefix)),
  };
}

/** @param now milliseconds since 1970. */
export function hasExpired(lastModified: Date, { expireAfterDays }: ObjectRule, now: number): boolean {
  return now - lastModified.getTime() > expireAfterDays * dayMs;
}
