/** Policies for branches: what they are, which are acceptable, and which branches have to go. */
import { SrvError, messageOf } from '@srv/kernel';
import { branchSyntax, parseGlob } from '@srv/lib-records/glob';
import type { Glob } from '@srv/lib-records/glob';

export interface BranchPolicy {
  readonly id?: string | undefined;
  /** Globs over the whole name, in the syntax of branch protection. */
  readonly namePatterns: readonly string[];
  /** Seconds since the branch was created. */
  readonly maxAge?: number | undefined;
  /** Seconds since the last write to it. */
  readonly maxInactivity?: number | undefined;
  readonly description?: string | undefined;
}

/** What decides about a branch. Times in milliseconds since 1970. */
export interface BranchFacts {
  readonly name: string;
  readonly isDefault: boolean;
  /** Absent: not known, as another program wrote the record; then no age is ever exceeded. */
  readonly createdAt?: number | undefined;
  readonly writtenAt: number;
}

const most = { policies: 100, patterns: 100, patternBytes: 1024, idCharacters: 32, descriptionBytes: 4096 };

/** @throws SrvError `invalid` that names the policy and the remedy. */
export function checkPolicies(policies: readonly BranchPolicy[]): void {
  if (policies.length > most.policies) throw new SrvError('invalid', `${policies.length} policies: at most ${most.policies} are possible`);
  for (const [index, policy] of policies.entries()) checkPolicy(policy, `policies[${index}]`);
  const ids = policies.flatMap(({ id }) => id ?? []);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new SrvError('invalid', `policy id ${JSON.stringify(twice)}: two policies have it; rename one of them`);
}

function checkPolicy({ id, namePatterns, maxAge, maxInactivity, description = '' }: BranchPolicy, at: string): void {
  if (id !== undefined && (id === '' || [...id].length > most.idCharacters))
    throw new SrvError('invalid', `${at}.id: ${JSON.stringify(id)} must have 1 to ${most.idCharacters} characters`);
  if (namePatterns.length === 0 || namePatterns.length > most.patterns)
    throw new SrvError('invalid', `${at}.name_patterns: ${namePatterns.length} patterns; 1 to ${most.patterns} are possible`);
  for (const pattern of namePatterns) {
    if (pattern === '' || Buffer.byteLength(pattern) > most.patternBytes)
      throw new SrvError('invalid', `${at}.name_patterns: ${JSON.stringify(pattern)} must have 1 to ${most.patternBytes} bytes`);
    compile(pattern, at);
  }
  if (maxAge === undefined && maxInactivity === undefined)
    throw new SrvError('invalid', `${at}: it has no limit; set max_age, max_inactivity_time, or both (seconds)`);
  checkSeconds(maxAge, `${at}.max_age`);
  checkSeconds(maxInactivity, `${at}.max_inactivity_time`);
  if (Buffer.byteLength(description) > most.descriptionBytes)
    throw new SrvError('invalid', `${at}.description: at most ${most.descriptionBytes} bytes are possible`);
}

function checkSeconds(value: number | undefined, what: string): void {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 1))
    throw new SrvError('invalid', `${what}: ${value} is not a whole number of seconds from 1 on`);
}

/**
 * The policy by which a branch has to go now; `undefined`: it stays. The first policy that matches its name decides alone,
 * and all limits that it has must be exceeded.
 */
export function branchDecision(policies: readonly BranchPolicy[]): (facts: BranchFacts, now: number) => BranchPolicy | undefined {
  const matching = policyOf(policies);
  return ({ name, isDefault, createdAt, writtenAt }, now) => {
    const policy = isDefault ? undefined : matching(name);
    if (!policy) return undefined;
    const { maxAge, maxInactivity } = policy;
    const isOld = maxAge === undefined || (createdAt !== undefined && now - createdAt > maxAge * 1000);
    const isInactive = maxInactivity === undefined || now - writtenAt > maxInactivity * 1000;
    return isOld && isInactive ? policy : undefined;
  };
}

/** The policy that decides about a name. */
function policyOf(policies: readonly BranchPolicy[]): (name: string) => BranchPolicy | undefined {
  const compiled = policies.map(policy => ({ policy, globs: policy.namePatterns.map(pattern => compile(pattern, 'policies')) }));
  return name => compiled.find(({ globs }) => globs.some(glob => glob.matches(name)))?.policy;
}

function compile(pattern: string, at: string): Glob {
  try {
    return parseGlob(pattern, branchSyntax);
  } catch (error) {
    throw new SrvError('invalid', `${at}: pattern ${JSON.stringify(pattern)}: ${messageOf(error)}; use * ? [a-z] {a,b}`, { cause: error });
  }
}
