/**
 * What providers say of users beyond the directory: the kind of the address, and the parts of the name. Each belongs to the
 * address or the name that it came with, and is forgotten when that is changed elsewhere.
 */
import { scimPartition } from './group-ids.js';
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

interface StoredAttributes extends EmailAttributes {
  readonly email: string;
  readonly friendlyName: string;
  readonly name: NameParts;
}

const usual: UserAttributes = { emailType: 'work', emailPrimary: true, givenName: '', familyName: '' };
const keyOf = (username: string): Buffer => Buffer.from(`users/${username}`, 'utf8');

export function createUserAttributes(kv: KvStore) {
  return {
    async of(username: string, { email = '', friendlyName = '' }: Shown): Promise<UserAttributes> {
      const found = await kv.get(scimPartition, keyOf(username));
      if (!found) return usual;
      const stored = decodeAttributes(found.value);
      return {
        ...emailOf(stored.email === email ? stored : usual),
        ...(stored.friendlyName === friendlyName ? stored.name : { givenName: '', familyName: '' }),
      };
    },
    async set(username: string, { email, friendlyName, ...facts }: Shown & UserAttributes): Promise<void> {
      const { givenName, familyName } = facts;
      const hasOwn = facts.emailType !== usual.emailType || facts.emailPrimary !== true || givenName !== '' || familyName !== '';
      const stored = { email, friendlyName, ...emailOf(facts), name: { givenName, familyName } };
      if (hasOwn) await kv.set(scimPartition, keyOf(username), Buffer.from(JSON.stringify(stored), 'utf8'));
      else await kv.delete(scimPartition, keyOf(username));
    },
    forget: (username: string): Promise<void> => kv.delete(scimPartition, keyOf(username)),
  };
}

export type UserAttributeStore = ReturnType<typeof createUserAttributes>;

function emailOf({ emailType, emailPrimary }: EmailAttributes): EmailAttributes {
  return { emailType, ...(emailPrimary === undefined ? {} : { emailPrimary }) };
}

function decodeAttributes(value: Buffer): StoredAttributes {
  return JSON.parse(value.toString('utf8')) as StoredAttributes;
}
