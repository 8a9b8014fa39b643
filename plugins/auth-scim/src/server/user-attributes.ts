/**
 * What providers say of users beyond the directory: the kind of the address, and the parts of the name. Each belongs to the
 * address or the name that it came with, and is forgotten when that is changed elsewhere.
 */
import { scimPartition, updateRecord } from './scim-records.js';
import type { KvStore } from '@srv/kernel';

interface EmailAttributes {
  readonly emailType: string;
  /** Absent: the provider did not say. */
  readonly emailPrimary?: boolean;
}

interface NameParts {
  readonly givenName: string;
  readonly familyName: string;
}

export interface UserAttributes extends EmailAttributes, NameParts {}

/** What the directory keeps, which they belong to. */
interface Shown {
  readonly email?: string | undefined;
  readonly friendlyName?: string | undefined;
}

/** What a request changes; absent: it stays. */
export interface AttributeChange {
  /** An address with its kind. */
  readonly address?: (EmailAttributes & { readonly email: string }) | undefined;
  /** A shown name with its parts. */
  readonly name?: (NameParts & { readonly friendlyName: string }) | undefined;
}

interface StoredAttributes extends EmailAttributes {
  readonly email: string;
  readonly friendlyName: string;
  readonly name: NameParts;
}

const noParts: NameParts = { givenName: '', familyName: '' };
const usual: UserAttributes = { emailType: 'work', emailPrimary: true, ...noParts };
const keyOf = (username: string): Buffer => Buffer.from(`users/${username}`, 'utf8');

export function createUserAttributes(kv: KvStore) {
  return {
    async of(username: string, { email = '', friendlyName = '' }: Shown): Promise<UserAttributes> {
      const found = await kv.get(scimPartition, keyOf(username));
      if (!found) return usual;
      const stored = decodeAttributes(found.value);
      return {
        ...emailOf(stored.email === email ? stored : usual),
        ...(stored.friendlyName === friendlyName ? stored.name : noParts),
      };
    },
    /** An address and a name are changed apart: requests that change one of them at once do not undo each other. */
    change: (username: string, { address, name }: AttributeChange): Promise<void> =>
      updateRecord(kv, keyOf(username), old => {
        const before: StoredAttributes = old ? decodeAttributes(old) : { ...usual, email: '', friendlyName: '', name: noParts };
        const next: StoredAttributes = {
          email: address?.email ?? before.email,
          friendlyName: name?.friendlyName ?? before.friendlyName,
          ...emailOf(address ?? before),
          name: name ? { givenName: name.givenName, familyName: name.familyName } : before.name,
        };
        return old || hasOwn(next) ? Buffer.from(JSON.stringify(next), 'utf8') : undefined;
      }),
    forget: (username: string): Promise<void> => kv.delete(scimPartition, keyOf(username)),
  };
}

/** Whether a record says more than its absence. */
function hasOwn({ emailType, emailPrimary, name: { givenName, familyName } }: StoredAttributes): boolean {
  return emailType !== usual.emailType || emailPrimary !== true || givenName !== '' || familyName !== '';
}

export type UserAttributeStore = ReturnType<typeof createUserAttributes>;

function emailOf({ emailType, emailPrimary }: EmailAttributes): EmailAttributes {
  return { emailType, ...(emailPrimary === undefined ? {} : { emailPrimary }) };
}

function decodeAttributes(value: Buffer): StoredAttributes {
  return JSON.parse(value.toString('utf8')) as StoredAttributes;
}
