/** Where records live in the key-value store. A contract with existing databases. */
import { SrvError } from '@srv/kernel';

/** Everything, except for the one administrator of mode `none`. */
export const authPartition = 'auth';
/** The first administrator in mode `none`. */
export const basicPartition = 'basicAuth';
/** Fixed name of that administrator's records; the user name is inside. */
export const adminSlot = 'superAdmin';

export const usersPrefix = 'users/';
export const userKey = (username: string): string => `${usersPrefix}${name('user', username)}`;
export const policyKey = (policy: string): string => `policies/${name('policy', policy)}`;
export const credentialsPrefix = (username: string): string => `uCredentials/${name('user', username)}/credentials/`;
export const credentialKey = (username: string, accessKeyId: string): string =>
  `${credentialsPrefix(username)}${name('access key', accessKeyId)}`;
/** Prefix of the members of a group; a user name follows. */
export const membersPrefix = (group: string): string => `gUsers/${name('group', group)}/users/`;
/** Prefix of the policies of a group; a policy name follows. */
export const groupPoliciesPrefix = (group: string): string => `gPolicies/${name('group', group)}/policies/`;
/** Prefix of the policies of a user; a policy name follows. */
export const userPoliciesPrefix = (username: string): string => `uPolicies/${name('user', username)}/policies/`;

/** Access key → key of its credential record. Our addition: without it every lookup would scan all users. */
export const ownerKey = (accessKeyId: string): string => `accessKeyOwners/${name('access key', accessKeyId)}`;
/** Present once {@link ownerKey} records exist for every credential. */
export const ownersComplete = 'accessKeyOwners_complete';

/** E-mail address or name at another service → user. Our additions, as is what follows. */
export const emailKey = (address: string): string => `userEmails/${asPart(address.toLowerCase())}`;
export const externalIdKey = (externalId: string): string => `externalIds/${asPart(externalId)}`;
/** Prefix of the external principals of a user; the principal follows. */
export const userPrincipalsPrefix = (username: string): string => `uExternalPrincipals/${name('user', username)}/principals/`;
export const principalsPrefix = 'externalPrincipals/';
/** A token that was used up. */
export const usedTokenKey = (id: string): string => `expiredTokens/${name('token', id)}`;

/** Logins from a terminal that were allowed and not fetched yet. */
export const terminalLoginPrefix = 'terminalLogins/';
export const terminalLoginKey = (slot: string): string => `${terminalLoginPrefix}${name('login', slot)}`;

/** Text from elsewhere as a part of a key: without a slash, and in the order of the text but for that. */
export const asPart = (text: string): string => text.replaceAll('%', '%25').replaceAll('/', '%2F');
export const fromPart = (part: string): string => part.replaceAll('%2F', '/').replaceAll('%25', '%');

export const metadataKey = (fact: string): string => `installation_metadata/${fact}`;

/** Partition, key and value that mark a set-up store for every program that shares it. */
export const schemaVersion = { partition: 'kv-internal-metadata', key: 'kv/schema/version', value: '4' } as const;

/** @throws SrvError `invalid` for names that would break the layout. */
export function name(kind: string, value: string): string {
  if (value === '' || value.includes('/')) {
    throw new SrvError('invalid', `${kind} ${JSON.stringify(value)}: must be at least one character and hold no slash: validation error`);
  }
  return value;
}
