/** Why policies grant a permission or do not: which statement decides, and which ones nearly do. */
import { decide } from './evaluate.js';
import { isPattern, matches } from './wildcard.js';
import type { RequestFacts } from './conditions.js';
import type { Policy, Statement } from './model.js';

interface ExplainedStatement {
  /** Name of the policy. */
  readonly policy: string;
  readonly statement: Statement;
}

export interface Explanation {
  readonly allowed: boolean;
  /** The first denial, else the first statement that allows it; absent: no statement says anything. */
  readonly decides?: ExplainedStatement;
  /** Of a permission that is not granted: statements about the action that do not apply, and what keeps each from it. */
  readonly nearly: readonly (ExplainedStatement & { readonly because: 'resource' | 'condition' })[];
}

/** Explained at most; more would not be read. */
const mostNear = 20;

export function explain(
  { action, resource }: { readonly action: string; readonly resource: string },
  policies: readonly Policy[],
  { username, facts }: { readonly username: string; readonly facts: RequestFacts },
): Explanation {
  const all = policies.flatMap(({ id, statement }) => statement.map(one => ({ policy: id, statement: one })));
  /** `undefined`: the statement says nothing about it. */
  const says = (statement: Statement): 'allow' | 'deny' | undefined => {
    const decision = decide({ action, resource }, [{ id: '', createdAt: new Date(0), statement: [statement] }], { username, facts });
    if (decision.allowed) return 'allow';
    // Also of a statement that cannot be read: it refuses what it may be about.
    return decision.reason?.startsWith('insufficient permissions: not allowed to ') ? undefined : 'deny';
  };
  const denial = all.find(({ statement }) => says(statement) === 'deny');
  if (denial) return { allowed: false, decides: denial, nearly: [] };
  const grant = all.find(({ statement }) => says(statement) === 'allow');
  if (grant) return { allowed: true, decides: grant, nearly: [] };
  const about = all.filter(({ statement }) => statement.action.some(pattern => isPattern(pattern) && matches(pattern, action)));
  const nearly = about
    .filter(({ statement }) => statement.effect === 'allow')
    .slice(0, mostNear)
    .map(found => ({
      ...found,
      because: says(unconditional(found.statement)) === 'allow' ? ('condition' as const) : ('resource' as const),
    }));
  return { allowed: false, nearly };
}

const unconditional = ({ condition: _, ...statement }: Statement): Statement => statement;
