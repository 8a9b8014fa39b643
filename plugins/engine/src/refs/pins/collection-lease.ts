/** The lease of the process that collects a repository, as operations read it: only a collector changes it. */
import { PartitionsWithout, partitionOf } from '@srv/lib-records';
import type { KvStore, Predicate } from '@srv/kernel';
import type { Repository } from '../contract.js';

export interface LeaseState {
  /** Empty: the lease is free. */
  readonly owner: string;
  /** The run it works on, or worked on last. */
  readonly run: string;
  /** Counts owners. */
  readonly epoch: number;
  /** Counts changes of one owner. */
  readonly beat: number;
  /** A batch has been checked, or is being, and its deletion is not over. */
  readonly deleting: boolean;
  /** Counts batches of one owner. Owners of earlier versions do not count them. */
  readonly batch?: number;
}

/** How operations wait for a collector, in milliseconds. */
export interface CollectionWait {
  /** After this long without a change the lease no longer belongs to its owner. */
  readonly stale: number;
  /** Between two reads of a lease that is waited for. */
  readonly look: number;
  /** An operation that has waited this long for the end of a batch is refused. */
  readonly longest: number;
}

export const usualWait: CollectionWait = { stale: 30_000, look: 50, longest: 60_000 };

const free: LeaseState = { owner: '', run: '', epoch: 0, beat: 0, deleting: false };
export const leaseKey = Buffer.from('gc/lease');

/** The lease as stored. */
export async function readLease(kv: KvStore, repository: Repository): Promise<{ state: LeaseState; predicate: Predicate | undefined }> {
  const found = await kv.get(partitionOf(repository), leaseKey);
  return found
    ? { state: JSON.parse(found.value.toString('utf8')) as LeaseState, predicate: found.predicate }
    : { state: free, predicate: undefined };
}

/** Of repositories that are not being collected. Every new branch and every merge asks, twice. */
const freePartitions = new WeakMap<KvStore, PartitionsWithout>();

function freePartitionsOf(kv: KvStore): PartitionsWithout {
  const known = freePartitions.get(kv) ?? new PartitionsWithout();
  freePartitions.set(kv, known);
  return known;
}

/** Whether a process collects the repository, or did when it was killed. */
export async function isCollected(kv: KvStore, repository: Repository): Promise<boolean> {
  const isFree = async (): Promise<boolean> => (await readLease(kv, repository)).state.owner === '';
  return !(await (kv.isShared ? isFree() : freePartitionsOf(kv).has(partitionOf(repository), isFree)));
}

/** To be called once the lease was taken, or may have been: reads that began before no longer count. */
export function leaseWritten(kv: KvStore, repository: Repository): void {
  freePartitionsOf(kv).forget(partitionOf(repository));
}

/** Everything that changes while an owner is alive. */
export function signOf({ owner, epoch, beat }: LeaseState): string {
  return `${owner} ${epoch} ${beat}`;
}

/** The batch that is announced; `undefined`: none is. Batches of an owner that does not count them look the same. */
export function announcedBatch({ deleting, owner, epoch, batch = 0 }: LeaseState): string | undefined {
  return deleting ? `${owner} ${epoch} ${batch}` : undefined;
}
