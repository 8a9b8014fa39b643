/**
 * From a response to a session. Browsers send no cookie of ours with the provider's form, so the login takes two steps: the
 * form is checked and exchanged for a ticket of one minute, and the redirect with the ticket, with which the cookie comes,
 * begins the session in the browser that asked for it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { refused } from './document.js';
import type { AccountService, AuthService } from '@srv/auth/contract';
import type { Logger, LoginToken } from '@srv/kernel';
import type { ClaimedUsers, Claims } from '@srv/lib-auth/claims';
import type { Assertion } from '../thread/request.js';
import type { Provider } from './provider.js';

interface LoginParts {
  readonly provider: Pick<Provider, 'read'>;
  readonly users: ClaimedUsers;
  readonly auth: Pick<AuthService, 'issueToken'>;
  readonly accounts: Pick<AccountService, 'claimToken' | 'issuePurposeToken' | 'readPurposeToken'>;
  /** Attribute with the ID of the user; absent: the NameID. */
  readonly idAttribute: string | undefined;
  /** Attributes that hold lists. */
  readonly groupAttributes: readonly string[];
  readonly syncGroups: boolean;
  /** Groups of users for whom the provider sends no such attribute, as many do for users without groups. */
  readonly defaultGroups: readonly string[];
  readonly log: Logger;
}

/** Claim that holds the ID of the user; no attribute of a provider has this name. */
export const idClaim = ' id';
const purpose = 'saml_login';
/** Milliseconds from the form to the session. */
const ticketValidity = 60_000;
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
/** Milliseconds; sessions that the provider limits are not shorter, so that there is one. */
const shortestSession = 1000;

function withGroups(claims: Claims, attributes: readonly string[], defaults: readonly string[]): Claims {
  const [first = ''] = attributes;
  return attributes.some(name => Object.hasOwn(claims, name)) ? claims : { ...claims, [first]: [...defaults] };
}

/** An XML name that cannot be guessed. */
export const newRequestId = (): string => `_${randomBytes(20).toString('hex')}`;

export function createLogin({ provider, users, auth, accounts, idAttribute, groupAttributes, log, ...parts }: LoginParts) {
  return {
    /** @param encoded the form field `SAMLResponse`. @returns a ticket. @throws SrvError `unauthenticated`. */
    async accept(encoded: unknown): Promise<string> {
      const assertion = await provider.read(encoded);
      const { inResponseTo, id, expiresAt, sessionEndsAt } = assertion;
      if (!/^_[0-9a-f]{40}$/.test(inResponseTo)) throw refused('the assertion does not answer a request of this server');
      const claims = claimsOf(assertion, idAttribute, groupAttributes);
      // In the order of time, as the records of used tokens are.
      const used = `${expiresAt.toString(36).padStart(9, '0')}-saml-${createHash('sha256').update(id).digest('hex')}`;
      if (!(await accounts.claimToken(used, new Date(expiresAt)))) throw refused('the assertion was used before');
      const { username } = await users.userOf(claims);
      if (parts.syncGroups) await users.syncGroups(username, withGroups(claims, groupAttributes, parts.defaultGroups));
      return accounts.issuePurposeToken(purpose, JSON.stringify([inResponseTo, username, sessionEndsAt ?? 0]), ticketValidity);
    },
    /** @param requestId what this browser keeps. @throws SrvError `unauthenticated`. */
    async finish(ticket: string, requestId: string): Promise<LoginToken> {
      const found = accounts.readPurposeToken(purpose, ticket);
      if (!found) throw refused('the ticket is not valid or has expired');
      const [answered, username, sessionEndsAt] = JSON.parse(found.subject) as [string, string, number];
      if (answered !== requestId) throw refused('another browser began the login');
      if (!(await accounts.claimToken(found.id, found.expiresAt))) throw refused('the ticket was used before');
      const duration = sessionEndsAt === 0 ? undefined : Math.max(shortestSession, sessionEndsAt - Date.now());
      const issued = await auth.issueToken(username, duration);
      log.info({ user: username }, 'user logged in by the SAML provider');
      return issued;
    },
  };
}

export type Login = ReturnType<typeof createLogin>;

function claimsOf({ nameId, nameIdFormat, attributes }: Assertion, idAttribute: string | undefined, lists: readonly string[]): Claims {
  const claims: Record<string, unknown> = Object.create(null);
  for (const [name, values] of Object.entries(attributes)) claims[name] = lists.includes(name) || values.length !== 1 ? values : values[0];
  if (idAttribute === undefined && nameIdFormat === transient)
    throw refused('the NameID is another at each login: set the provider to a persistent one, or set auth.saml.id_attribute');
  claims[idClaim] = idAttribute === undefined ? nameId : claims[idAttribute];
  return claims;
}
