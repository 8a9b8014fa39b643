/** What claims must say, and what is taken from them: the same rules for every kind of session. */
import { SrvError } from '@srv/kernel';

export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimRules {
  /** Claim with the name of the user elsewhere. */
  readonly idClaim: string;
  /** Claim → value it must have. */
  readonly validate: Readonly<Record<string, string>>;
  readonly defaultGroups: readonly string[];
  /** The first that is there counts. */
  readonly groupClaims: readonly string[];
  readonly nameClaims: readonly string[];
  /** Absent: addresses are not taken. */
  readonly emailClaims?: readonly string[];
}

interface Identified {
  readonly externalId: string;
  readonly friendlyName: string | undefined;
  readonly email: string | undefined;
}

const refused = (): SrvError => new SrvError('unauthenticated', 'error authenticating request');

/** @throws SrvError `unauthenticated` when claims are missing or say something else than they must. */
export function identify(claims: Claims, { idClaim, validate, nameClaims, emailClaims = [] }: ClaimRules): Identified {
  const externalId = own(claims, idClaim);
  if (typeof externalId !== 'string' || externalId === '') throw refused();
  // Equal, and nothing more lenient: no lists, no other case.
  for (const [claim, value] of Object.entries(validate)) if (own(claims, claim) !== value) throw refused();
  const textOf = (names: readonly string[]): string | undefined => {
    const value = firstOf(claims, names);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { externalId, friendlyName: textOf(nameClaims), email: textOf(emailClaims) };
}

/** Groups of a new user. @throws SrvError `unauthenticated` for a list that holds something else than names. */
export function groupsIn(claims: Claims, { groupClaims, defaultGroups }: ClaimRules): readonly string[] {
  return claimedGroups(claims, groupClaims) ?? defaultGroups;
}

/** Groups that claims name; `undefined` when they do not say. */
export function claimedGroups(claims: Claims, groupClaims: readonly string[]): readonly string[] | undefined {
  const claimed = firstOf(claims, groupClaims);
  if (claimed === undefined || claimed === null) return undefined;
  if (typeof claimed === 'string')
    return claimed
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '');
  if (!Array.isArray(claimed)) return [];
  if (!claimed.every(name => typeof name === 'string')) throw refused();
  return claimed;
}

function firstOf(claims: Claims, names: readonly string[]): unknown {
  const name = names.find(one => own(claims, one) !== undefined);
  return name === undefined ? undefined : own(claims, name);
}

/** Names come from configuration and claims from outside: inherited members of objects are not claims. */
function own(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
