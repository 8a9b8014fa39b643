/**
 * Shared access signatures of directories. The client library for blobs makes none; the service takes them for accounts with a
 * hierarchical namespace.
 */
import { createHmac } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import type { StorageSharedKeyCredential, UserDelegationKey } from '@azure/storage-blob';
import type { BlobAddress } from './address.js';

export interface DirectoryGrant {
  /** Names the directory, with a slash at its end. */
  readonly address: BlobAddress;
  readonly mayWrite: boolean;
  /** In whole seconds. */
  readonly expiry: Date;
  readonly protocol: 'https' | 'https,http';
}

/** A version all clouds know. */
const version = '2023-11-03';
/** Reading and listing; adding and creating files, and writing to them. Nothing is deleted. */
const permissions = { reads: 'rl', writes: 'racwl' } as const;
const deepest = 20;

/** Fields of the signed text in their order; most are empty. @returns a query without a question mark. @throws SrvError `unsupported`. */
export function directorySas(grant: DirectoryGrant, signedBy: StorageSharedKeyCredential | UserDelegationKey): string {
  const { address, mayWrite, expiry, protocol } = grant;
  const directory = address.blob.replace(/\/$/, '');
  const depth = directory.split('/').length;
  if (directory === '' || depth > deepest)
    throw new SrvError(
      'unsupported',
      `${directory || 'a whole container'}: a signature is for a directory, at most ${deepest} levels deep`,
    );
  const [allowed, end] = [permissions[mayWrite ? 'writes' : 'reads'], plainTime(expiry)];
  const resource = `/blob/${address.account}/${address.container}/${directory}`;
  const delegated = 'value' in signedBy ? delegation(signedBy) : undefined;
  const who = delegated ? [...Object.values(delegated), '', '', ''] : [''];
  const text = [allowed, '', end, resource, ...who, '', protocol, version, 'd', '', '', '', '', '', '', ''].join('\n');
  const signature =
    'value' in signedBy
      ? createHmac('sha256', Buffer.from(signedBy.value, 'base64')).update(text, 'utf8').digest('base64')
      : signedBy.computeHMACSHA256(text);
  return new URLSearchParams({
    sv: version,
    spr: protocol,
    se: end,
    ...delegated,
    sr: 'd',
    sp: allowed,
    sig: signature,
    sdd: String(depth),
  }).toString();
}

function delegation(key: UserDelegationKey): Record<string, string> {
  return {
    skoid: key.signedObjectId,
    sktid: key.signedTenantId,
    skt: plainTime(key.signedStartsOn),
    ske: plainTime(key.signedExpiresOn),
    sks: key.signedService,
    skv: key.signedVersion,
  };
}

/** Without fractions of a second. */
function plainTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
