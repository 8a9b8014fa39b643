/** Takes this plugin's records apart for an operator, without secrets. */

import { authPartition, basicPartition, ownersComplete, schemaVersion, terminalLoginPrefix } from './storage/keys.js';
import { decodeCredential, decodeGroup, decodeIndex, decodePolicy, decodeUsedToken, decodeUser } from './storage/records.js';
import { judgeSchemaVersion } from './storage/schema-version.js';
import type { KvEntry } from '@srv/kernel';

const decoders: readonly { readonly prefix: string; readonly decode: (value: Buffer) => unknown }[] = [
  { prefix: 'users/', decode: describeUser },
  { prefix: 'groups/', decode: decodeGroup },
  { prefix: 'policies/', decode: decodePolicy },
  { prefix: 'uCredentials/', decode: describeCredential },
  { prefix: 'gUsers/', decode: describeIndex },
  { prefix: 'gPolicies/', decode: describeIndex },
  { prefix: 'uPolicies/', decode: describeIndex },
  { prefix: 'accessKeyOwners/', decode: describeIndex },
  { prefix: 'userEmails/', decode: describeIndex },
  { prefix: 'externalIds/', decode: describeIndex },
  { prefix: 'externalPrincipals/', decode: describeIndex },
  { prefix: 'uExternalPrincipals/', decode: describeIndex },
  { prefix: 'expiredTokens/', decode: decodeUsedToken },
  { prefix: 'sessionEpochs/', decode: describeText },
  { prefix: 'pendingGroups/', decode: describeText },
  { prefix: terminalLoginPrefix, decode: describeText },
  { prefix: ownersComplete, decode: describeText },
  { prefix: 'installation_', decode: describeText },
];

/** `undefined`: not a record of this plugin. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  if (partition === schemaVersion.partition) return judgeSchemaVersion(value.toString('utf8'));
  if (partition !== authPartition && partition !== basicPartition) return undefined;
  const name = key.toString('utf8');
  return decoders.find(({ prefix }) => name.startsWith(prefix))?.decode(value);
}

function describeUser(value: Buffer): unknown {
  const { encryptedPassword: _, ...user } = decodeUser(value);
  return user;
}

function describeCredential(value: Buffer): unknown {
  const { sealedSecret: _, ...credential } = decodeCredential(value);
  return credential;
}

function describeIndex(value: Buffer): unknown {
  return { primaryKey: decodeIndex(value) };
}

function describeText(value: Buffer): unknown {
  return value.toString('utf8');
}
