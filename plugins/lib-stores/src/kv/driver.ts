/** What a driver of a key-value store says about its backend. `createKvStore` adds everything that all stores have in common. */
import { SrvError } from '@srv/kernel';
import type { Condition, KvEntry, KvRecord, KvValue, Predicate } from '@srv/kernel';

/** Its methods are called with checked arguments, while the store is open, and unless the caller has already aborted. */
export interface KvDriver {
  /** The `database.type` it serves. */
  readonly type: string;
  /** Whether other processes may use the database at the same time. */
  readonly isShared: boolean;
  /** Whether an aborted request is abandoned: its caller is answered at once, and it ends in the background. */
  readonly abandonsAborted?: boolean;
  get(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<KvValue | undefined>;
  set(partition: string, key: Buffer, value: Buffer, signal: AbortSignal | undefined): Promise<void>;
  setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal: AbortSignal | undefined): Promise<boolean>;
  /** {@link setIf} of a record, and further ones if its condition holds, in one step. Absent: the backend cannot. */
  setIfWith?(record: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean>;
  /** An absent key is not an error. */
  delete(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<void>;
  /** Pages in byte order of the keys, from the first key not below `start`. */
  scan(partition: string, options: DriverScan): AsyncIterable<readonly KvEntry[]>;
  /** What a failure means to the caller of the store; after an abort it means that. Absent: failures stay what they are. */
  explain?(error: unknown): unknown;
  /** Called once, when nothing is under way any more. */
  close(): Promise<void> | void;
}

export interface DriverScan {
  /** Empty: from the beginning. */
  readonly start: Buffer;
  /** Entries of the first page; `undefined`: as many as the driver likes. */
  readonly batchSize: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The value that a predicate expects, in stores whose predicates are values. @throws SrvError `invalid` for one of another store. */
export function expectedBytes({ kvPredicate: expected }: Predicate): Buffer {
  if (!Buffer.isBuffer(expected)) throw foreignPredicate();
  return expected;
}

/** @returns an error to throw. */
export function foreignPredicate(): SrvError {
  return new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
}
