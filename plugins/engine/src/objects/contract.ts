/** What the engine's methods about objects take and return. Paths are UTF-8 text of 1 to 1024 bytes. */
import type { IdentifierType } from '@srv/lib-stores/block';
import type { Forceable, PageRequest, Repository } from '../refs/contract.js';

/** An object as stored at a ref. */
export interface Entry {
  readonly path: string;
  /** As stored: relative to the namespace or a full URI, see `addressType`. */
  readonly address: string;
  readonly addressType: IdentifierType;
  /** Full URI. */
  readonly physicalAddress: string;
  readonly lastModified: Date;
  /** Bytes. */
  readonly size: number;
  /** Without quotes; the hexadecimal MD5 for uploads. */
  readonly etag: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Never empty: `application/octet-stream` when none is stored. */
  readonly contentType: string;
}

export type ListItem =
  | { readonly kind: 'object'; readonly path: string; readonly entry: Entry }
  | { readonly kind: 'common_prefix'; readonly path: string };

export interface ListRequest extends PageRequest {
  /** Any non-empty text; paths that contain it after the prefix collapse to one item. */
  readonly delimiter?: string | undefined;
}

/** Writes an item of a list, always the same way. */
export type ItemSerializer = (item: ListItem) => string;

export interface TextPage {
  /** To be joined by commas. */
  readonly pieces: readonly Buffer[];
  /** Items in them. */
  readonly count: number;
  readonly hasMore: boolean;
  readonly nextOffset: string;
}

type ItemChange = 'added' | 'removed' | 'changed' | 'conflict' | 'prefix_changed';

export interface DiffItem {
  readonly type: ItemChange;
  readonly kind: 'object' | 'common_prefix';
  readonly path: string;
  /** Right side; the left one for removed objects. Absent for prefixes. */
  readonly entry?: Entry | undefined;
}

export interface DiffRequest extends ListRequest {
  /** Default `three_dot`: what merging right into left would change. */
  readonly type?: 'two_dot' | 'three_dot';
  readonly signal?: AbortSignal | undefined;
}

/** An object that both sides of a merge, a revert or a cherry-pick have changed since their base, in different ways. */
export interface ObjectConflict {
  readonly repository: Repository;
  readonly path: string;
  /** What each has at the path; absent: nothing. */
  readonly destination?: Entry;
  readonly source?: Entry;
  readonly base?: Entry;
}

/** How a conflict is resolved. */
export interface ObjectMerge {
  /** Makes the merged object. A preview does not call it; it is called once, and what it stores may turn out not to be needed. */
  carryOut(): Promise<MergedObject>;
}

export interface MergedObject {
  readonly body: Buffer;
  readonly contentType: string;
}

/** A run of garbage collection, after the objects of branches: plugins remove files that they keep beside these. */
export interface FileCollection {
  readonly repository: Repository;
  /** Files younger than this stay: what refers to them may still be written. */
  readonly cutoff: Date;
  readonly signal: AbortSignal;
  /** What stays at this moment. It grows while the run lasts. */
  kept(): Promise<KeptContent>;
  /** Uncommitted entries below a prefix: every row of every branch, whether a newer one hides it or not. */
  staged(prefix: string): AsyncIterable<readonly Pick<Entry, 'path' | 'address' | 'addressType'>[]>;
  /**
   * Removes files, or in a dry run counts them. @param confirm looks once more at what stays, while operations that refer to old
   * content again wait, and returns the files that still nothing needs.
   */
  remove(files: readonly CollectedFile[], confirm: () => Promise<readonly CollectedFile[]>): Promise<void>;
  /** Says in the result of the run what could not be collected, and why. */
  report(problem: string): void;
}

/** A file of the namespace. */
export interface CollectedFile {
  /** Relative to the namespace. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

export interface KeptContent {
  /** Of commits that the rules keep, of heads and tags, of commits made since the run began, and of what operations have pinned. */
  readonly metaranges: ReadonlySet<string>;
  /** That operations have pinned. */
  readonly addresses: readonly string[];
}

/** Condition of a write on what is at the path now: `holds` gets `undefined` for nothing, and may be called again. */
export type WriteCondition =
  | { readonly ifAbsent: true }
  | { readonly ifMatch: string }
  | { readonly holds: (current: Pick<Entry, 'etag'> | undefined) => boolean };

export interface PutRequest extends Forceable {
  readonly contentType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further metadata that depends on the content; asked for once that has been stored. */
  readonly describe?: (stored: { readonly etag: string }) => Readonly<Record<string, string>>;
  /** Bytes, when known: a body of another length is refused and nothing is written. */
  readonly size?: number | undefined;
  /** MD5 of the body in hex, to be asked for once the body has ended: a caller that hashes it anyway saves hashing again. */
  readonly md5?: (() => string | Promise<string>) | undefined;
  readonly storageClass?: string | undefined;
  readonly condition?: WriteCondition | undefined;
  /** Whether the caller has just asked {@link Engine.checkWrite}. The write itself is refused all the same, only later. */
  readonly checked?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface StageRequest extends Forceable {
  readonly address: string;
  readonly addressType: IdentifierType;
  readonly size: number;
  readonly etag: string;
  readonly contentType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly lastModified?: Date | undefined;
  readonly condition?: WriteCondition | undefined;
}

export interface CreateRepositoryRequest {
  readonly id: string;
  readonly storageNamespace: string;
  /** Absent or empty: `main`. */
  readonly defaultBranch?: string | undefined;
  readonly readOnly?: boolean;
  /** No commit, no branch: a target for restoring refs. */
  readonly bare?: boolean;
  readonly storageId?: string;
}

export interface RepositoryListRequest extends PageRequest {
  /** Part of the name. */
  readonly search?: string | undefined;
  /** Pages are filled from those that pass. */
  readonly visible?: (repository: Repository) => boolean | Promise<boolean>;
}

export interface DeleteOptions extends Forceable {
  /** Leave no tombstone when the object exists only uncommitted. */
  readonly noTombstone?: boolean;
}

export interface DeleteFailure {
  readonly path: string;
  readonly error: unknown;
}

export interface Task {
  readonly id: string;
  readonly done: boolean;
  readonly updatedAt: Date;
  readonly progress: number;
  /** Set when it failed, or when the server that worked on it is gone. */
  readonly error?: string;
  readonly statusCode?: number;
}

/** A place of the block stores where a repository is or was. */
export interface StoragePlace {
  /** Empty: the store that needs no id. */
  readonly storageId: string;
  readonly storageNamespace: string;
}

/** The move of a repository to another storage namespace. */
export interface StorageMove {
  readonly id: string;
  readonly from: StoragePlace;
  readonly to: StoragePlace;
  /**
   * `copying`: the repository is used as ever. `switching`: it takes no changes. `finishing`: it is read at its new place, and
   * takes no changes for some seconds more. `aborting`: it is being given back where it was.
   */
  readonly phase: 'copying' | 'switching' | 'finishing' | 'done' | 'aborting' | 'aborted';
  /** Whether a server works on it. */
  readonly isRunning: boolean;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  /** Objects of the old namespace that were compared with the new one in the present phase. */
  readonly compared: number;
  /** Objects, and bytes, that were copied. */
  readonly copied: number;
  readonly copiedBytes: number;
  /** Why it stopped; empty: it did not. */
  readonly error: string;
}

/** Long operations that outlive the request that started them. */
export interface BackgroundTasks {
  /** Stores the task, then works on it; returns its id at once. `work` returns the encoded result. */
  submit(
    repository: Repository,
    kind: string,
    work: (progress: (steps: number) => Promise<void>, signal: AbortSignal) => Promise<Buffer>,
  ): Promise<string>;
  /** `info` is the encoded result, empty until there is one. @throws SrvError `not_found` for an unknown id, or one of another kind. */
  get(repository: Repository, kind: string, id: string): Promise<Task & { readonly info: Buffer }>;
}

/** Metaranges that hold a repository's refs. */
export interface RefsDump {
  readonly commits: string;
  readonly tags: string;
  readonly branches: string;
}

export interface CopyRequest extends Forceable {
  /** On what is at the destination. */
  readonly condition?: WriteCondition | undefined;
  /** On the source: called with the very entry that is copied, before anything is stored; what it throws ends the copy. */
  readonly checkSource?: (source: Entry) => void;
  /** What is to differ from the source. */
  readonly describe?: (source: Entry) => Partial<Pick<Entry, 'metadata' | 'contentType'>>;
  /**
   * An object of another repository is not copied: the new entry names that of the other one, in whose storage namespace it
   * stays. Both must be in one block store. Default: false. Within a repository nothing is copied anyway.
   */
  readonly shallow?: boolean;
  readonly signal?: AbortSignal;
}

export interface PrefixCopyRequest extends Forceable {
  /** Everything that starts with this … */
  readonly from: string;
  /** … appears with this instead. */
  readonly to: string;
  /** Only the object whose path is `from`. */
  readonly exact?: boolean;
  /** Ref of the same repository to copy from. Default: the branch. */
  readonly source?: string;
  /** The source goes away. */
  readonly move?: boolean;
  /** Called for each object, before it is copied, with its path and that of its copy; what it throws ends the copying. */
  readonly confirm?: ((path: string, copy: string) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PrefixCopyResult {
  readonly objects: number;
}

declare module '@srv/kernel' {
  interface Services {
    tasks: BackgroundTasks;
  }
}
