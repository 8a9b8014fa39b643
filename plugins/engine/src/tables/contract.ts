/** What committed metadata offers to the engine: immutable sets of records, named by metarange id. `''` names the empty set. */
import type { Readable } from 'node:stream';
import type { ApplySummary } from './algorithms/apply.js';
import type { Change } from './algorithms/changes.js';
import type { Comparison } from './algorithms/compare.js';
import type { Strategy } from './algorithms/merge.js';
import type { RangeDescriptor } from './format/descriptor.js';

export type { DiffType, Difference } from './algorithms/diff.js';
export type { ApplySummary, Change, Comparison, RangeDescriptor, Strategy };

/**
 * Subfolder for metadata files that nothing referred to when garbage was collected. They stay there for some
 * days, and reads still find them.
 */
export const setAsideFolder = 'set-aside';

/** Record values are framed identity and data, carried verbatim; `format/value.ts` takes them apart. */
export interface CommittedRecord {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface ApplyRequest {
  readonly namespace: string;
  /** Metarange to start from. */
  readonly base: string;
  /** Pages of changes in strictly ascending key order. */
  readonly changes: AsyncIterable<readonly Change[]>;
  /** Further hashed properties of the files written, such as `entity` of a refs dump. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface ApplyResult {
  readonly metarangeId: string;
  readonly summary: ApplySummary;
}

export interface MergeMetarangesRequest {
  readonly namespace: string;
  readonly destination: string;
  readonly source: string;
  readonly base: string;
  readonly strategy: Strategy;
  readonly signal?: AbortSignal | undefined;
}

export interface ReplaceRequest {
  readonly namespace: string;
  /** Metarange to start from. */
  readonly base: string;
  /** Metarange whose records are put in. */
  readonly added: string;
  /** Keys of `base` that go away: everything that starts with one of the prefixes, and the exact keys. */
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface DiffMetarangesRequest {
  readonly namespace: string;
  readonly left: string;
  readonly right: string;
  /** Present: three-way, with conflicts, seen from `left` as destination. */
  readonly base?: string | undefined;
  /** Two-way: also records of one identity whose data differ, such as objects that were written again. */
  readonly exact?: boolean;
  /** Only keys >= `start`. */
  readonly start?: Buffer | undefined;
  /** Stops after the last key with this prefix. */
  readonly prefix?: Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Walks the records of one metarange on the calling thread. Close it, also after an error. */
export interface CommittedCursor {
  readonly valid: boolean;
  readonly key: Buffer;
  readonly value: Buffer;
  /** Names the block that the record is in: blocks of one name in a namespace hold the same records. */
  readonly block: string;
  /** All records of the block, whichever of them the cursor is at. */
  blockRecords(): Iterable<CommittedRecord>;
  seek(key: Buffer): Promise<void>;
  /** Await the result when there is one. */
  next(): Promise<void> | undefined;
  /** Goes to the first record of the next block. Await the result when there is one. */
  nextBlock(): Promise<void> | undefined;
  close(): void;
}

/** A range or metarange file. */
export interface MetadataFile {
  readonly body: Readable;
  /** Bytes. */
  readonly size: number;
}

export interface CommittedStore {
  /** Folder of metadata files inside namespaces of new repositories, as far as it is known. */
  readonly prefix: string;
  /** Makes `folder` the one of new repositories. A function is called when the folder is needed, until it returns one. */
  useFolder(folder: string | (() => Promise<string>)): void;
  /** Folder for a repository that is created now. @throws what the function given to `useFolder` throws. */
  folderForNew(): Promise<string>;
  /**
   * Folder of a namespace's metadata files: the one with the mark of a repository, else the one with file `id` (`''`: no
   * file is known). `undefined` when the namespace shows neither. Metadata is read from every known folder, written to
   * this one.
   */
  findFolder(namespace: string, id: string): Promise<string | undefined>;
  /** The same, `folderForNew` when the namespace shows none. */
  folderOf(namespace: string): Promise<string>;
  /** Record value of exactly this key. */
  get(namespace: string, metarangeId: string, key: Buffer): Promise<Buffer | undefined>;
  /** Id of the range that would hold `key`; equal ids in two metaranges mean equal records around it. */
  rangeOf(namespace: string, metarangeId: string, key: Buffer): Promise<string | undefined>;
  cursor(namespace: string, metarangeId: string): Promise<CommittedCursor>;
  /**
   * What a metarange holds: `object`, or, of a refs dump, `commit`, `branch` or `tag`; `range` for a table that is not a
   * metarange. @throws SrvError `invalid` when it is not an id, `no_data` when the file is missing.
   */
  kindOf(namespace: string, metarangeId: string): Promise<string>;
  ranges(namespace: string, metarangeId: string): AsyncIterable<readonly RangeDescriptor[]>;
  /** Writes the base with the changes applied; in a worker. From the empty base, it builds a new metarange. */
  apply(request: ApplyRequest): Promise<ApplyResult>;
  /** The same for changes whose values are rows of staging partitions, tombstones included; they become records off this thread. */
  applyStaged(request: ApplyRequest): Promise<ApplyResult>;
  /** @throws SrvError `conflict`. In a worker. */
  merge(request: MergeMetarangesRequest): Promise<string>;
  /** The base without some keys, with another metarange's records put in; in a worker. */
  replace(request: ReplaceRequest): Promise<string>;
  /** In a worker; stop iterating to cancel. */
  diff(request: DiffMetarangesRequest): AsyncIterable<readonly Comparison[]>;
  /** Path of a range or metarange file relative to its namespace. */
  location(namespace: string, id: string): Promise<string>;
  /** Bytes of a range or metarange file. @throws SrvError `not_found`. */
  open(namespace: string, kind: 'range' | 'meta_range', id: string): Promise<MetadataFile>;
}
