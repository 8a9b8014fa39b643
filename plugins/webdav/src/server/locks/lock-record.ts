/** A lock as a record. */
import { SrvError } from '@srv/kernel';
import { isRepositoryPartition } from '@srv/lib-records';
import type { KvEntry } from '@srv/kernel';
import type { Lock } from './lock.js';

export const lockPrefix = 'webdav-locks';

export function encodeLock(lock: Lock): Buffer {
  return Buffer.from(JSON.stringify(lock), 'utf8');
}

/**
 * A depth or a scope of a newer release is read as the one that protects most.
 * @param id `<branch>/<token>`, for errors. @throws SrvError `corrupt`.
 */
export function decodeLock(bytes: Buffer, id?: string): Lock {
  const lock = id === undefined ? 'a lock of WebDAV' : `the lock of WebDAV ${id}`;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new SrvError('corrupt', `${lock} cannot be read`, { cause: error });
  }
  if (!isLock(value)) throw new SrvError('corrupt', `${lock} lacks a member`);
  const { depth, scope } = value;
  return { ...value, depth: depth === '0' ? depth : 'infinity', scope: scope === 'shared' ? scope : 'exclusive' };
}

type StoredLock = Omit<Lock, 'depth' | 'scope'> & { readonly depth: string; readonly scope: string };

function isLock(value: unknown): value is StoredLock {
  if (typeof value !== 'object' || value === null) return false;
  const { token, path, depth, scope, owner, user, timeout, expires } = value as Partial<Record<keyof Lock, unknown>>;
  return (
    [token, path, depth, scope, owner, user].every(text => typeof text === 'string') &&
    typeof timeout === 'number' &&
    typeof expires === 'number'
  );
}

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. */
export function describeLock(partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.toString('utf8').startsWith(`${lockPrefix}/`) ? decodeLock(value) : undefined;
}
