/** The engine as faces see it: repositories, references and objects by name. Paths are UTF-8 text of 1 to 1024 bytes. */
import type { Readable } from 'node:stream';
import type { MetadataFile } from '../tables/contract.js';
import type { IdentifierType } from '@srv/lib-stores/block';
import type {
  ChangeOptions,
  Branch,
  CherryPickRequest,
  Commit,
  CommitRequest,
  Forceable,
  LogRequest,
  MergeBase,
  MergeRequest,
  Page,
  PageRequest,
  Repository,
  RevertRequest,
  Tag,
} from '../refs/contract.js';

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
  readonly delimiter?: string;
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

export type DiffType = 'added' | 'removed' | 'changed' | 'conflict' | 'prefix_changed';

export interface DiffItem {
  readonly type: DiffType;
  readonly kind: 'object' | 'common_prefix';
  readonly path: string;
  /** Right side; the left one for removed objects. Absent for prefixes. */
  readonly entry?: Entry;
}

export interface DiffRequest extends ListRequest {
  /** Default `three_dot`: what merging right into left would change. */
  readonly type?: 'two_dot' | 'three_dot';
}

/** Condition of a write on what is at the path now. */
export type WriteCondition = { readonly ifAbsent: true } | { readonly ifMatch: string };

export interface PutRequest extends Forceable {
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further metadata that depends on the content; asked for once that has been stored. */
  readonly describe?: (stored: { readonly etag: string }) => Readonly<Record<string, string>>;
  /** Bytes, when known: a body of another length is refused and nothing is written. */
  readonly size?: number;
  /** MD5 of the body in hex, to be asked for once the body has ended: a caller that hashes it anyway saves hashing again. */
  readonly md5?: () => string | Promise<string>;
  readonly storageClass?: string;
  readonly condition?: WriteCondition;
  /** Whether the caller has just asked {@link Catalog.checkWrite}. The write itself is refused all the same, only later. */
  readonly checked?: boolean;
  readonly signal?: AbortSignal;
}

export interface StageRequest extends Forceable {
  readonly address: string;
  readonly addressType: IdentifierType;
  readonly size: number;
  readonly etag: string;
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly lastModified?: Date;
  readonly condition?: WriteCondition;
}

export interface CreateRepositoryRequest {
  readonly id: string;
  readonly storageNamespace: string;
  /** Absent or empty: `main`. */
  readonly defaultBranch?: string;
  readonly readOnly?: boolean;
  /** No commit, no branch: a target for restoring refs. */
  readonly bare?: boolean;
  readonly storageId?: string;
}

export interface RepositoryListRequest extends PageRequest {
  /** Part of the name. */
  readonly search?: string;
  /** Pages are filled from those that pass. */
  readonly visible?: (repository: Repository) => boolean | Promise<boolean>;
}

export type ResetScope =
  | { readonly type: 'all' }
  | { readonly type: 'object'; readonly path: string }
  | { readonly type: 'prefix'; readonly prefix: string };

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

export interface PrefixCopyRequest extends Forceable {
  /** Everything that starts with this … */
  readonly from: string;
  /** … appears with this instead. */
  readonly to: string;
  /** The source goes away. */
  readonly move?: boolean;
  readonly signal?: AbortSignal;
}

export interface PrefixCopyResult {
  readonly objects: number;
}

/** All methods throw SrvError; codes are those a face can map (`not_found`, `protected`, `no_changes`, …). */
export interface Catalog {
  createRepository(request: CreateRepositoryRequest): Promise<Repository>;
  getRepository(repository: string): Promise<Repository>;
  listRepositories(request?: RepositoryListRequest): Promise<Page<Repository>>;
  /**
   * Names of the repositories in whose storage namespaces an address lies, in any spelling of it; with `below`, also of those
   * whose namespaces begin with it.
   */
  repositoriesAt(address: string, options?: { readonly below?: boolean }): Promise<readonly string[]>;
  deleteRepository(repository: string, options?: Forceable): Promise<void>;
  getRepositoryMetadata(repository: string): Promise<Readonly<Record<string, string>>>;
  setRepositoryMetadata(repository: string, metadata: Readonly<Record<string, string>>): Promise<void>;
  deleteRepositoryMetadata(repository: string, keys: readonly string[]): Promise<void>;

  createBranch(repository: string, branch: string, source: string, options?: ChangeOptions & { hidden?: boolean }): Promise<Branch>;
  getBranch(repository: string, branch: string): Promise<Branch>;
  listBranches(repository: string, request?: PageRequest & { showHidden?: boolean }): Promise<Page<Branch>>;
  deleteBranch(repository: string, branch: string, options?: ChangeOptions): Promise<void>;
  resetBranch(repository: string, branch: string, scope: ResetScope, options?: Forceable): Promise<void>;
  hardResetBranch(repository: string, branch: string, ref: string, options?: Forceable): Promise<void>;

  createTag(repository: string, tag: string, ref: string, options?: ChangeOptions & { overwrite?: boolean }): Promise<Tag>;
  getTag(repository: string, tag: string): Promise<Tag>;
  listTags(repository: string, request?: PageRequest): Promise<Page<Tag>>;
  deleteTag(repository: string, tag: string, options?: ChangeOptions): Promise<void>;

  commit(repository: string, branch: string, request: CommitRequest): Promise<Commit>;
  /** Any ref expression. */
  getCommit(repository: string, ref: string): Promise<Commit>;
  log(repository: string, ref: string, request?: LogRequest): Promise<Page<Commit>>;
  /** Returns the id of the new commit. */
  merge(repository: string, source: string, destination: string, request: MergeRequest): Promise<string>;
  findMergeBase(repository: string, source: string, destination: string): Promise<MergeBase>;
  revert(repository: string, branch: string, request: RevertRequest): Promise<Commit>;
  cherryPick(repository: string, branch: string, request: CherryPickRequest): Promise<Commit>;

  diffUncommitted(repository: string, branch: string, request?: ListRequest): Promise<Page<DiffItem>>;
  /** `left` is the destination, `right` the source. */
  diff(repository: string, left: string, right: string, request?: DiffRequest): Promise<Page<DiffItem>>;

  getEntry(repository: string, ref: string, path: string): Promise<Entry>;
  list(repository: string, ref: string, request?: ListRequest): Promise<Page<ListItem>>;
  /**
   * The same page with its items written, in much less time; `undefined` where it shows something uncommitted or the request
   * has a delimiter. @param serialize keeps what it once wrote: pass the same function each time.
   */
  listText(repository: string, ref: string, request: ListRequest, serialize: ItemSerializer): Promise<TextPage | undefined>;
  /** Bytes of an entry; `no_data` when the store lost them. */
  open(repository: string, entry: Entry, options?: { range?: { start: number; end: number }; signal?: AbortSignal }): Promise<Readable>;
  /**
   * Streams the body into the block store, then stages the entry. If either fails, nothing is left behind. A body that the
   * store does not read to its end is destroyed.
   */
  putObject(repository: string, branch: string, path: string, body: Readable | Buffer, request?: PutRequest): Promise<Entry>;
  /** Fails early, before a body is read: unknown branch, protection, read-only, condition. */
  checkWrite(repository: string, branch: string, path: string, request?: Pick<PutRequest, 'force' | 'condition'>): Promise<void>;
  stageEntry(repository: string, branch: string, path: string, request: StageRequest): Promise<Entry>;
  copyObject(
    repository: string,
    source: { ref: string; path: string },
    destination: { branch: string; path: string },
    options?: Forceable,
  ): Promise<Entry>;
  /** An absent object is not an error. */
  deleteObject(repository: string, branch: string, path: string, options?: DeleteOptions): Promise<void>;
  /** @throws SrvError `not_found` for an absent object, `precondition_failed` when the condition does not hold at that moment. */
  deleteObjectIf(
    repository: string,
    branch: string,
    path: string,
    condition: (entry: Entry) => boolean,
    options?: DeleteOptions,
  ): Promise<void>;
  /** At most 1000 paths; returns those that failed. */
  deleteObjects(repository: string, branch: string, paths: readonly string[], options?: DeleteOptions): Promise<DeleteFailure[]>;
  /** Replaces the whole user metadata. @param metadata the new one, or what makes it of the current one; it may be called again. */
  setObjectMetadata(
    repository: string,
    branch: string,
    path: string,
    metadata: Readonly<Record<string, string>> | ((current: Readonly<Record<string, string>>) => Readonly<Record<string, string>>),
    options?: Forceable,
  ): Promise<void>;

  /** Copies or moves everything below a prefix within a branch; costs metadata only. */
  copyPrefix(repository: string, branch: string, request: PrefixCopyRequest): Promise<PrefixCopyResult>;

  /** The same as `commit` and `merge`, on its own: returns a task id. Refusals that can be known at once are thrown. */
  submitCommit(repository: string, branch: string, request: CommitRequest): Promise<string>;
  commitStatus(repository: string, taskId: string): Promise<Task & { readonly commit?: Commit }>;
  submitMerge(repository: string, source: string, destination: string, request: MergeRequest): Promise<string>;
  mergeStatus(repository: string, taskId: string): Promise<Task & { readonly reference?: string }>;

  dumpRefs(repository: string): Promise<RefsDump>;
  submitDump(repository: string): Promise<string>;
  dumpStatus(repository: string, taskId: string): Promise<Task & { readonly refs?: RefsDump }>;
  /** Into a bare repository whose namespace holds the dump's files. */
  restoreRefs(repository: string, dump: RefsDump, options?: Forceable): Promise<void>;
  submitRestore(repository: string, dump: RefsDump, options?: Forceable): Promise<string>;
  restoreStatus(repository: string, taskId: string): Promise<Task>;

  /** Stores a commit record as given, reachable from no branch. `invalid` when its id is not its content's, `not_unique` when it exists. */
  createCommitRecord(repository: string, commit: Commit, options?: Forceable): Promise<void>;
  /** Lists of addresses for every directory below `location`, as files in the block store; returns the address of their folder. */
  createSymlinks(repository: string, branch: string, location: string): Promise<string>;

  /** An unused relative address, for an object that is written first and staged later: `data/<partition>/<id>`. */
  allocateAddress(): string;
  /** Location of a range or metarange file relative to the namespace. */
  metadataLocation(repository: string, id: string): Promise<string>;
  /** Its bytes. */
  openMetadata(repository: string, kind: 'range' | 'meta_range', id: string): Promise<MetadataFile>;
}

declare module '@srv/kernel' {
  interface Services {
    catalog: Catalog;
    tasks: BackgroundTasks;
  }
}
