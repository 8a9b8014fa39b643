/** Which branches agents started: a record each in the partition of the repository. */
import { SrvError } from '@srv/kernel';
import { isRepositoryPartition } from '@srv/lib-records';
import type { KvEntry } from '@srv/kernel';

export const ownBranchPrefix = 'mcp-branches';

export interface OwnBranch {
  readonly branch: string;
  /** Who started it. */
  readonly user: string;
  /** Of the branch: one that was deleted and made again is another. */
  readonly instanceUid: string;
  /** Where it started. */
  readonly source: string;
  readonly purpose: string;
}

export function encodeOwnBranch(record: OwnBranch): Buffer {
  return Buffer.from(JSON.stringify(record), 'utf8');
}

/** @throws SrvError `corrupt`. */
export function decodeOwnBranch(bytes: Buffer): OwnBranch {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as Partial<Record<keyof OwnBranch, unknown>>;
    const { branch, user, instanceUid, source, purpose } = value;
    if (
      typeof branch === 'string' &&
      typeof user === 'string' &&
      typeof instanceUid === 'string' &&
      typeof source === 'string' &&
      typeof purpose === 'string'
    )
      return { branch, user, instanceUid, source, purpose };
  } catch (error) {
    throw new SrvError('corrupt', 'the record of a branch of an agent cannot be read', { cause: error });
  }
  throw new SrvError('corrupt', 'the record of a branch of an agent lacks a member');
}

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. */
export function describeOwnBranch(partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.toString('utf8').startsWith(`${ownBranchPrefix}/`) ? decodeOwnBranch(value) : undefined;
}
