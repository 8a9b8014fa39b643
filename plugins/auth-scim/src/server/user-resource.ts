/** Users as SCIM shows and writes them. */
import { isRecord, memberOf } from './patch.js';
import { ScimError } from './scim-error.js';
import type { Account } from '@srv/auth/contract';
import type { Resource } from './patch.js';

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** What is kept of a user. */
export interface UserFacts {
  readonly userName: string;
  readonly externalId: string;
  readonly email: string;
  readonly friendlyName: string;
  readonly active: boolean;
}

export function presentUser({ username, externalId, email, friendlyName, inactive, createdAt }: Account, base: string): Resource {
  return {
    schemas: [userSchema],
    id: username,
    userName: username,
    active: inactive !== true,
    ...(externalId === '' ? {} : { externalId }),
    ...(friendlyName === undefined ? {} : { displayName: friendlyName, name: { formatted: friendlyName } }),
    ...(email === undefined ? {} : { emails: [{ value: email, type: 'work', primary: true }] }),
    meta: { resourceType: 'User', created: createdAt.toISOString(), location: `${base}/Users/${encodeURIComponent(username)}` },
  };
}

/** @throws ScimError 400 for a value of a wrong kind. */
export function readUser(body: unknown): UserFacts {
  if (!isRecord(body)) throw new ScimError(400, 'a user must be an object', 'invalidSyntax');
  const userName = textAt(body, 'userName');
  if (userName === '') throw new ScimError(400, 'userName: must not be empty', 'invalidValue');
  return {
    userName,
    externalId: textAt(body, 'externalId'),
    email: emailOf(memberOf(body, 'emails')),
    friendlyName: textAt(body, 'displayName') || fullName(memberOf(body, 'name')),
    active: flagOf(memberOf(body, 'active')),
  };
}

function textAt(record: Readonly<Resource>, name: string): string {
  const value = memberOf(record, name) ?? '';
  if (typeof value !== 'string') throw new ScimError(400, `${name}: ${JSON.stringify(value)} must be a text`, 'invalidValue');
  return value.trim();
}

/** The primary address, else the first one. */
function emailOf(emails: unknown): string {
  const list = (Array.isArray(emails) ? emails : emails === undefined || emails === null ? [] : [emails]) as readonly unknown[];
  const texts = list.map(item => (typeof item === 'string' ? { value: item } : isRecord(item) ? item : {}));
  const chosen = texts.find(item => memberOf(item, 'primary') === true) ?? texts[0];
  return chosen ? textAt(chosen, 'value') : '';
}

function fullName(name: unknown): string {
  if (!isRecord(name)) return '';
  return textAt(name, 'formatted') || [textAt(name, 'givenName'), textAt(name, 'familyName')].filter(part => part !== '').join(' ');
}

/** Some providers send texts. Absent: active. */
function flagOf(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text !== 'true' && text !== 'false')
    throw new ScimError(400, `active: ${JSON.stringify(value)} must be true or false`, 'invalidValue');
  return text === 'true';
}
