/**
 * The key-value contract. Every mutable record of the product is stored through it; the only concurrency primitive is
 * {@link KvStore.setIf} on one key.
 */

import { SrvError } from '../errors.js';

/** What a read returned, to be handed back to `setIf`. Opaque: only the driver that made it may look inside. */
export type Predicate = { readonly kvPredicate: unknown };

/** `setIf` only when the key is absent. */
export const absent = Symbol('kv-absent');
/** `setIf` only when the key is present, whatever its value. */
export const present = Symbol('kv-present');

export type Condition = Predicate | typeof absent | typeof present;

export interface KvValue {
  /** May be empty, never absent. */
  readonly value: Buffer;
  readonly predicate: Predicate;
}

export interface KvEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Where a record is, and its value. */
export interface KvRecord extends KvEntry {
  readonly partition: string;
}

export interface ScanOptions {
  /** First key returned is the smallest one >= `start`; absent: the first of the partition. */
  readonly start?: Buffer | undefined;
  /** Entries in the first page; later pages are as large as the driver likes. Default, and 0: the driver's own. */
  readonly batchSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface KvStore {
  /** The `database.type` that opened it. */
  readonly type: string;
  /** Whether other processes may use the database at the same time. */
  readonly isShared: boolean;
  /** Of a shared database: those others are peers of this server, which run the same program. Default: any program. */
  readonly isSharedWithPeers?: boolean;
  /** Strongly consistent read; `undefined` when the key, or the whole partition, does not exist. */
  get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined>;
  /** Unconditional write, durable when the promise resolves. */
  set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void>;
  /**
   * Compare-and-set, durable when it resolves to `true`. `false`: the condition does not hold and nothing was written;
   * the caller must look at the answer. Predicates compare by content, so a value that changed and changed back
   * matches.
   */
  setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean>;
  /**
   * {@link setIf} of one record and, under its condition, further records: all of them or none, durable together. Absent: the
   * store cannot.
   */
  readonly setIfWith?: ((record: KvRecord, condition: Condition, further: readonly KvRecord[]) => Promise<boolean>) | undefined;
  /** Removes a key; an absent key is not an error. */
  delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void>;
  /**
   * Pages of one partition in unsigned byte order of the keys. No snapshot across pages: a key deleted meanwhile may or
   * may not appear; the scan neither fails nor loops.
   */
  scan(partition: string, options?: ScanOptions): AsyncIterable<readonly KvEntry[]>;
  /** Afterwards every call fails with `closed`. */
  close(): Promise<void>;
}

/** A damaged store, looked at; nothing has been changed. */
export interface KvRepair {
  /** What is damaged, what a repair would lose and what it would keep: a sentence each. */
  readonly findings: readonly string[];
  readonly isNeeded: boolean;
  /** Repairs the store. @returns where the damaged files are kept. */
  apply(): Promise<string>;
  /** Releases what was prepared. */
  close(): Promise<void>;
}

/** Refuses an empty partition or key and a missing value, in that order: the first step of every driver. */
export function checkKey(partition: string, key: Buffer | undefined, ...value: (Buffer | undefined)[]): void {
  if (partition === '') throw new SrvError('invalid', 'missing partition key');
  if (key === undefined || key.length === 0) throw new SrvError('invalid', 'missing key');
  if (value.some(v => v === undefined)) throw new SrvError('invalid', 'missing value');
}
