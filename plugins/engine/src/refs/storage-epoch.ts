/**
 * Which storage namespace a write to a branch must have used. A repository counts its moves (`storageEpoch`), and so does each
 * of its branches: a write whose repository is at another count than its branch may have stored its bytes in the namespace that
 * the repository has left, or is leaving, and is refused. See README.md, "Moving to another storage namespace".
 */
import { SrvError } from '@srv/kernel';
import { Records } from '@srv/lib-records';
import { decodeRepository, encodeRepository } from './messages/index.js';
import type { KvStore } from '@srv/kernel';
import type { Branch, Repository } from './contract.js';

/** Partition of the records of repositories. */
export const repositoryPartition = 'graveler';

/** Of a new branch, until its first change: a move may have passed it by. */
export const unsettled = 0x7fff_ffff;

export function repositoryRecords(kv: KvStore): Records<Repository> {
  return new Records(kv, { prefix: 'repos', what: 'repository', encode: encodeRepository, decode: decodeRepository });
}

export function epochOf({ storageEpoch = 0 }: Pick<Repository | Branch, 'storageEpoch'>): number {
  return storageEpoch;
}

/** The same record at another epoch; records that never moved bear none. */
export function atEpoch<T extends { readonly storageEpoch?: number }>({ storageEpoch: _, ...record }: T, epoch: number): T {
  return (epoch === 0 ? record : { ...record, storageEpoch: epoch }) as T;
}

/** The record of a repository as it is now. @throws SrvError `not_found` when it was deleted, be another one of its name there. */
export async function currentRepository(records: Records<Repository>, { id, instanceUid }: Repository) {
  const found = await records.get(repositoryPartition, id);
  if (found.value.instanceUid !== instanceUid) throw new SrvError('not_found', 'repository not found', { details: { repository: id } });
  return found;
}
