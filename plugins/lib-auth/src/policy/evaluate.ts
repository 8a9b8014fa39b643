/** Whether policies grant a permission: any deny wins, nothing said means no. */
import { coversResource } from './arn.js';
import { satisfies } from './conditions.js';
import { coversAnyBelow, coversEveryBelow } from './prefixes.js';
import { resourcePatterns } from './resources.js';
import { isPattern, matches } from './wildcard.js';
import type { Decision, Permission } from '@srv/kernel';
import type { RequestFacts } from './conditions.js';
import type { Policy, Statement } from './model.js';

export type Verdict = 'allow' | 'neutral' | 'deny';

export interface Subject {
  readonly username: string;
  readonly facts: RequestFacts;
}

interface Finding {
  readonly verdict: Verdict;
  /** Action patterns of the statements that denied. */
  readonly denied: readonly string[];
  /** Requested actions nothing allowed. */
  readonly missing: readonly string[];
}

const allowed: Finding = { verdict: 'allow', denied: [], missing: [] };
/** A statement that cannot be read refuses the request without naming an action. */
const broken: Finding = { verdict: 'deny', denied: [], missing: [] };

/** The decision of `policies` on `permission`, with the text callers are shown. */
export function decide(permission: Permission, policies: readonly Policy[], subject: Subject): Decision {
  const { verdict, denied, missing } = evaluate(
    permission,
    policies.flatMap(p => p.statement),
    subject,
  );
  if (verdict === 'allow') return { allowed: true };
  const why =
    denied.length > 0
      ? `denied permission to ${denied.join(',')}`
      : missing.length > 0
        ? `not allowed to ${missing.join(',')}`
        : 'not allowed';
  return { allowed: false, reason: `insufficient permissions: ${why}` };
}

function evaluate(permission: Permission, statements: readonly Statement[], subject: Subject): Finding {
  if ('all' in permission) {
    for (const part of permission.all) {
      const finding = evaluate(part, statements, subject);
      if (finding.verdict !== 'allow') return finding;
    }
    return allowed;
  }
  if ('any' in permission) {
    const findings = permission.any.map(part => evaluate(part, statements, subject));
    const verdict = findings.some(f => f.verdict === 'deny') ? 'deny' : findings.some(f => f.verdict === 'allow') ? 'allow' : 'neutral';
    return verdict === 'allow' ? allowed : { verdict, denied: findings.flatMap(f => f.denied), missing: findings.flatMap(f => f.missing) };
  }
  return evaluateLeaf(permission, statements, subject);
}

type Leaf = Extract<Permission, { readonly action: string }>;

function evaluateLeaf(leaf: Leaf, statements: readonly Statement[], { username, facts }: Subject): Finding {
  const { action, resource } = leaf;
  let granted = false;
  for (const statement of statements) {
    let matched: string | undefined;
    try {
      if (statement.condition && !satisfies(statement.condition, facts)) continue;
      const covers = coverageOf(leaf, statement);
      if (!resourcePatterns(statement.resource).some(pattern => covers(pattern, resource, username))) continue;
      matched = statement.action.find(pattern => matches(pattern, action));
    } catch {
      return broken;
    }
    if (matched === undefined) continue;
    if (statement.effect === 'deny') return { verdict: 'deny', denied: [matched], missing: [] };
    granted = true;
  }
  return granted ? allowed : { verdict: 'neutral', denied: [], missing: [action] };
}

/** How a pattern of a statement must cover the resource for the statement to count. */
function coverageOf({ everyBelow, anyBelow }: Leaf, { effect }: Statement): typeof coversResource {
  if (everyBelow !== true && anyBelow !== true) return coversResource;
  return (effect === 'deny') === (everyBelow === true) ? coversAnyBelow : coversEveryBelow;
}

/**
 * A predicate for lists. Statements with conditions and unreadable ones count neither way: a list is not the place to report
 * why something is missing from it.
 * @returns `undefined` when no statement allows `action` on anything.
 */
export function visibleResources(
  action: string,
  policies: readonly Policy[],
  username: string,
): ((resource: string) => boolean) | undefined {
  const statements = policies
    .flatMap(p => p.statement)
    .filter(s => s.action.some(pattern => isPattern(pattern) && matches(pattern, action)));
  if (!statements.some(s => s.effect === 'allow')) return undefined;
  const usable = statements.filter(s => !hasConditions(s) && isReadable(s));
  return resource => evaluateLeaf({ action, resource }, usable, { username, facts: {} }).verdict === 'allow';
}

function hasConditions({ condition }: Statement): boolean {
  return condition !== undefined && Object.keys(condition).length > 0;
}

function isReadable({ action, resource }: Statement): boolean {
  try {
    return [...action, ...resourcePatterns(resource)].every(isPattern);
  } catch {
    return false;
  }
}
