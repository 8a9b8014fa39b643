/** Conditions of a statement. A field the request does not have fails every operator, the negated ones too. */
import { Networks } from '@srv/kernel';
import { matches } from './wildcard.js';
import type { Conditions } from './model.js';

/** What conditions may look at. */
export interface RequestFacts {
  /** Address of the caller, without port. */
  readonly SourceIp?: string | undefined;
}

type Operator = (actual: string, values: readonly string[]) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  IpAddress: inAnyNetwork,
  NotIpAddress: (actual, values) => !inAnyNetwork(actual, values),
  StringLike: (actual, values) => values.some(pattern => matches(pattern, actual)),
  StringNotLike: (actual, values) => !values.some(pattern => matches(pattern, actual)),
};

/** Names accepted in `condition`. */
export const operatorNames: readonly string[] = Object.keys(operators);

/** @throws Error for an unknown operator or an invalid address: the request must then be denied. */
export function satisfies(conditions: Conditions, facts: RequestFacts): boolean {
  const known: Readonly<Record<string, string | undefined>> = { SourceIp: facts.SourceIp };
  let satisfied = true;
  for (const [name, fields] of Object.entries(conditions)) {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (!operator) throw new Error(`unknown condition operator ${name}`);
    for (const [field, values] of Object.entries(fields)) {
      const actual = Object.hasOwn(known, field) ? known[field] : undefined;
      if (actual === undefined || actual === '' || !operator(actual, values)) satisfied = false;
    }
  }
  return satisfied;
}

function inAnyNetwork(actual: string, values: readonly string[]): boolean {
  return new Networks(values).has(actual);
}
