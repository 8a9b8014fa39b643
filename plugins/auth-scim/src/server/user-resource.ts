/** Users as SCIM shows and writes them. */
import { isRecord, memberOf } from './patch.js';
import { ScimError } from './scim-error.js';
import type { Account } from '@srv/auth/contract';
import type { Resource } from './patch.js';
import type { UserAttributes } from './user-attributes.js';

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** What is kept of a user. */
export interface UserFacts extends UserAttributes {
  readonly userName: string;
  readonly externalId: string;
  readonly email: string;
  readonly friendlyName: string;
  readonly active: boolean;
}

export function presentUser(account: Account, { emailType, emailPrimary, givenName, familyName }: UserAttributes, base: string): Resource {
  const { username, externalId, email, friendlyName, inactive, createdAt } = account;
  const parts = { ...(givenName === '' ? {} : { givenName }), ...(familyName === '' ? {} : { familyName }) };
  return {
    schemas: [userSchema],
    id: username,
    userName: username,
    active: inactive !== true,
    ...(externalId === '' ? {} : { externalId }),
    ...(friendlyName === undefined ? {} : { displayName: friendlyName, name: { formatted: friendlyName, ...parts } }),
    ...(email === undefined
      ? {}
      : {
          emails: [
            {
              value: email,
              ...(emailType === '' ? {} : { type: emailType }),
              ...(emailPrimary === undefined ? {} : { primary: emailPrimary }),
            },
          ],
        }),
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
    ...emailOf(memberOf(body, 'emails')),
    ...nameOf(body),
    active: flagOf(memberOf(body, 'active')),
  };
}

function textAt(record: Readonly<Resource>, name: string): string {
  const value = memberOf(record, name) ?? '';
  if (typeof value !== 'string') throw new ScimError(400, `${name}: ${JSON.stringify(value)} must be a text`, 'invalidValue');
  return value.trim();
}

/** The primary address, else the first one. */
function emailOf(emails: unknown): Pick<UserFacts, 'email' | 'emailType' | 'emailPrimary'> {
  const list = (Array.isArray(emails) ? emails : emails === undefined || emails === null ? [] : [emails]) as readonly unknown[];
  const texts = list.map(item => (typeof item === 'string' ? { value: item } : isRecord(item) ? item : {}));
  const chosen = texts.find(item => memberOf(item, 'primary') === true) ?? texts[0];
  if (!chosen) return { email: '', emailType: 'work', emailPrimary: true };
  const primary = memberOf(chosen, 'primary');
  return {
    email: textAt(chosen, 'value'),
    emailType: textAt(chosen, 'type') || 'work',
    ...(typeof primary === 'boolean' ? { emailPrimary: primary } : {}),
  };
}

/** The shown name, else the parts of the name. */
function nameOf(body: Readonly<Resource>): Pick<UserFacts, 'friendlyName' | 'givenName' | 'familyName'> {
  const given = memberOf(body, 'name');
  const name = isRecord(given) ? given : {};
  const [givenName, familyName] = [textAt(name, 'givenName'), textAt(name, 'familyName')];
  const whole = textAt(name, 'formatted') || [givenName, familyName].filter(part => part !== '').join(' ');
  return { friendlyName: textAt(body, 'displayName') || whole, givenName, familyName };
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
