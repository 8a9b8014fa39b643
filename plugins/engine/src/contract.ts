/** The engine as plugins see it. */
import type { Readable } from 'node:stream';
import type { EngineHooks } from './hooks.js';
import type {
  CopyRequest,
  CreateRepositoryRequest,
  DeleteFailure,
  DeleteOptions,
  DiffItem,
  DiffRequest,
  Entry,
  ItemSerializer,
  ListItem,
  ListRequest,
  PrefixCopyRequest,
  PrefixCopyResult,
  PutRequest,
  RefsDump,
  RepositoryListRequest,
  StageRequest,
  StorageMove,
  StoragePlace,
  Task,
  TextPage,
} from './objects/contract.js';
import type {
  Branch,
  BranchDeletion,
  BranchLogEntry,
  ChangeOptions,
  CherryPickRequest,
  Commit,
  CommitRequest,
  CommittedPart,
  DeletedBranch,
  DifferenceRequest,
  FoldedRows,
  Forceable,
  ImportCommitRequest,
  KeyDifference,
  LastCommits,
  LastCommitsRequest,
  LogRequest,
  MergeBase,
  MergeRequest,
  Page,
  PageRequest,
  PinnedContent,
  Repository,
  RepositoryName,
  ResetScope,
  RevertRequest,
  Tag,
  ViewCursor,
} from './refs/contract.js';
import type { CommittedStore, MetadataFile } from './tables/contract.js';

export * from './tables/contract.js';
export type { EngineHooks } from './hooks.js';
export type * from './objects/contract.js';
export type * from './refs/contract.js';

/**
 * Versioned repositories. All methods throw SrvError; codes are those a face can map (`not_found`, `protected`, `no_changes`,
 * …).
 */
export interface Engine {
  createRepository(request: CreateRepositoryRequest): Promise<Repository>;
  /** @throws SrvError `not_found`, or `gone` while it is being deleted. */
  getRepository(repository: RepositoryName): Promise<Repository>;
  /**
   * For writes to the storage namespace that no branch shows, after each: those that succeed are there, or move with the repository.
   * @param repository as it was read before the write. @throws SrvError `moving` when a move may have passed the write by: repeat it.
   */
  requireUnmoved(repository: Repository): Promise<void>;
  /** In order of names, those being deleted included, from `start` on. */
  repositories(start: string): AsyncIterable<Repository>;
  listRepositories(request?: RepositoryListRequest): Promise<Page<Repository>>;
  /** How many {@link listRepositories} has on all pages. Every name is looked at. */
  countRepositories(request?: Omit<RepositoryListRequest, 'after' | 'amount'>): Promise<number>;
  /** Names of the repositories in whose storage namespaces an address lies, in any spelling of it. */
  repositoriesAt(address: string): Promise<readonly string[]>;
  /** Names of the repositories whose storage namespaces are in, above or below a prefix, each with the first such prefix. */
  repositoriesTouching(prefixes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  deleteRepository(repository: string, options?: Forceable): Promise<void>;
  /**
   * Begins to move a repository to another storage namespace, or continues a move that has stopped.
   * @param to absent: continue. @throws SrvError `conflict` while one runs, or when another one has stopped; `invalid` for a
   * namespace that is taken; `not_found` when no move is to continue.
   */
  startStorageMove(repository: RepositoryName, to?: StoragePlace): Promise<StorageMove>;
  /** The last move of a repository, or the one under way. @throws SrvError `not_found`. */
  storageMove(repository: RepositoryName): Promise<StorageMove>;
  /** Repositories as they will be at the end of their moves, of moves that have not ended. */
  movingRepositories(): AsyncIterable<Repository>;
  /** Leaves the repository where it was. What was copied stays. @throws SrvError `conflict` when it has moved already. */
  abortStorageMove(repository: RepositoryName): Promise<StorageMove>;
  /**
   * Continues the moves whose server died or stopped; what cannot be continued is logged. Moves that failed wait for
   * {@link startStorageMove}. @param signal continues no further move.
   */
  continueStorageMoves(signal?: AbortSignal): Promise<void>;
  getRepositoryMetadata(repository: RepositoryName): Promise<Readonly<Record<string, string>>>;
  setRepositoryMetadata(repository: RepositoryName, metadata: Readonly<Record<string, string>>): Promise<void>;
  deleteRepositoryMetadata(repository: RepositoryName, keys: readonly string[]): Promise<void>;

  /** Compare-and-set with retries around `change`. */
  updateRepositoryMetadata(repository: RepositoryName, change: (metadata: Record<string, string>) => Record<string, string>): Promise<void>;

  createBranch(repository: RepositoryName, branch: string, source: string, options?: ChangeOptions & { hidden?: boolean }): Promise<Branch>;
  getBranch(repository: RepositoryName, branch: string): Promise<Branch>;
  listBranches(repository: RepositoryName, request?: PageRequest & { showHidden?: boolean }): Promise<Page<Branch>>;
  deleteBranch(repository: RepositoryName, branch: string, options?: BranchDeletion): Promise<void>;
  resetBranch(repository: RepositoryName, branch: string, scope: ResetScope, options?: Forceable): Promise<void>;
  hardResetBranch(repository: RepositoryName, branch: string, ref: string, options?: ChangeOptions): Promise<void>;
  /** Branches that can be restored, in order of names. */
  deletedBranches(repository: RepositoryName, request?: PageRequest): Promise<Page<DeletedBranch>>;
  /** Restores a deleted branch at its last head. `not_found` when no deletion is kept, `not_unique` when the name is taken. */
  undeleteBranch(repository: RepositoryName, branch: string, options?: ChangeOptions & { readonly as?: string }): Promise<Branch>;
  /** Where a branch has been, newest first, deleted ones included. */
  branchLog(repository: RepositoryName, branch: string, request?: PageRequest): Promise<Page<BranchLogEntry>>;
  /**
   * Folds the uncommitted entries of a branch into a metarange: reads then take as long as those of a commit, and nothing else
   * changes. One under way is joined. Returns when it has ended; what goes wrong is logged. `not_found` for an unknown branch.
   */
  compactBranch(repository: RepositoryName, branch: string): Promise<void>;
  /** What of the branch is folded now; `undefined`: nothing. */
  branchCompaction(repository: RepositoryName, branch: string): Promise<FoldedRows | undefined>;

  createTag(repository: RepositoryName, tag: string, ref: string, options?: ChangeOptions & { overwrite?: boolean }): Promise<Tag>;
  getTag(repository: RepositoryName, tag: string): Promise<Tag>;
  listTags(repository: RepositoryName, request?: PageRequest): Promise<Page<Tag>>;
  deleteTag(repository: RepositoryName, tag: string, options?: ChangeOptions): Promise<void>;

  commit(repository: RepositoryName, branch: string, request: CommitRequest): Promise<Commit>;
  /** Any ref expression. */
  getCommit(repository: RepositoryName, ref: string): Promise<Commit>;
  log(repository: RepositoryName, ref: string, request?: LogRequest): Promise<Page<Commit>>;
  /** Which commit changed each path last, as far as bounds of commits and time allow. */
  lastCommits(repository: RepositoryName, ref: string, request: LastCommitsRequest): Promise<LastCommits>;
  /** Returns the new commit. */
  merge(repository: RepositoryName, source: string, destination: string, request: MergeRequest): Promise<Commit>;
  /** The commit that a merge would add, stored like that of a merge that a hook refused: no branch moves, and no hook is asked. */
  draftMerge(repository: RepositoryName, source: string, destination: string, request: MergeRequest): Promise<Commit>;
  findMergeBase(repository: RepositoryName, source: string, destination: string): Promise<MergeBase>;
  revert(repository: RepositoryName, branch: string, request: RevertRequest): Promise<Commit>;
  cherryPick(repository: RepositoryName, branch: string, request: CherryPickRequest): Promise<Commit>;

  /** Replaces parts of a clean branch by imported records, as one commit. */
  import(repository: RepositoryName, branch: string, request: ImportCommitRequest): Promise<Commit>;

  diffUncommitted(repository: RepositoryName, branch: string, request?: ListRequest): Promise<Page<DiffItem>>;
  /** `left` is the destination, `right` the source. */
  diff(repository: RepositoryName, left: string, right: string, request?: DiffRequest): Promise<Page<DiffItem>>;

  getEntry(repository: RepositoryName, ref: string, path: string): Promise<Entry>;
  list(repository: RepositoryName, ref: string, request?: ListRequest): Promise<Page<ListItem>>;
  /**
   * The same page with its items written, in much less time; `undefined` where it shows something uncommitted or the request
   * has a delimiter. @param serialize keeps what it once wrote: pass the same function each time.
   */
  listText(repository: RepositoryName, ref: string, request: ListRequest, serialize: ItemSerializer): Promise<TextPage | undefined>;
  /** Bytes of an entry; `no_data` when the store lost them. */
  open(
    repository: RepositoryName,
    entry: Entry,
    options?: { range?: { start: number; end: number } | undefined; signal?: AbortSignal | undefined },
  ): Promise<Readable>;
  /**
   * Streams the body into the block store, then stages the entry. If either fails, nothing is left behind. A body that the
   * store does not read to its end is destroyed.
   */
  putObject(repository: RepositoryName, branch: string, path: string, body: Readable | Buffer, request?: PutRequest): Promise<Entry>;
  /** Fails early, before a body is read: unknown branch, protection, read-only, condition. */
  checkWrite(repository: RepositoryName, branch: string, path: string, request?: Pick<PutRequest, 'force' | 'condition'>): Promise<void>;
  /**
   * Makes stored bytes appear on a branch.
   * @param repository as it was read before the bytes were stored, or looked for: its namespace has them.
   * @throws SrvError `moving` when the repository has moved to another namespace since.
   */
  stageEntry(repository: Repository, branch: string, path: string, request: StageRequest): Promise<Entry>;
  /** Within a repository by metadata alone, except of objects outside its storage namespace. */
  copyObject(
    repository: RepositoryName,
    source: { repository?: RepositoryName; ref: string; path: string },
    destination: { branch: string; path: string },
    request?: CopyRequest,
  ): Promise<Entry>;
  /** An absent object is not an error. */
  deleteObject(repository: RepositoryName, branch: string, path: string, options?: DeleteOptions): Promise<void>;
  /** @throws SrvError `not_found` for an absent object, `precondition_failed` when the condition does not hold at that moment. */
  deleteObjectIf(
    repository: RepositoryName,
    branch: string,
    path: string,
    condition: (entry: Entry) => boolean,
    options?: DeleteOptions,
  ): Promise<void>;
  /** At most 1000 paths; returns those that failed. */
  deleteObjects(repository: RepositoryName, branch: string, paths: readonly string[], options?: DeleteOptions): Promise<DeleteFailure[]>;
  /**
   * Replaces the whole user metadata. @param metadata the new one, or what makes it of the current one; it may be called again.
   * @throws SrvError `not_found` for an absent object, `precondition_failed` when the condition does not hold at that moment.
   */
  setObjectMetadata(
    repository: RepositoryName,
    branch: string,
    path: string,
    metadata: Readonly<Record<string, string>> | ((current: Readonly<Record<string, string>>) => Readonly<Record<string, string>>),
    options?: Pick<PutRequest, 'force' | 'condition'>,
  ): Promise<void>;

  /** Copies or moves an object, or everything below a prefix, within a repository; costs metadata only. */
  copyPrefix(repository: RepositoryName, branch: string, request: PrefixCopyRequest): Promise<PrefixCopyResult>;

  /** The same as `commit` and `merge`, on its own: returns a task id. Refusals that can be known at once are thrown. */
  submitCommit(repository: RepositoryName, branch: string, request: CommitRequest): Promise<string>;
  commitStatus(repository: RepositoryName, taskId: string): Promise<Task & { readonly commit?: Commit }>;
  submitMerge(repository: RepositoryName, source: string, destination: string, request: MergeRequest): Promise<string>;
  mergeStatus(repository: RepositoryName, taskId: string): Promise<Task & { readonly reference?: string }>;

  dumpRefs(repository: RepositoryName): Promise<RefsDump>;
  submitDump(repository: RepositoryName): Promise<string>;
  dumpStatus(repository: RepositoryName, taskId: string): Promise<Task & { readonly refs?: RefsDump }>;
  /** Into a bare repository whose namespace holds the dump's files. */
  restoreRefs(repository: RepositoryName, dump: RefsDump, options?: Forceable): Promise<void>;
  submitRestore(repository: RepositoryName, dump: RefsDump, options?: Forceable): Promise<string>;
  restoreStatus(repository: RepositoryName, taskId: string): Promise<Task>;

  /**
   * Stores a commit record as given, reachable from no branch. `invalid` when its id is not its content's, or its metarange
   * not one of objects, `not_found` when the metarange does not exist, `not_unique` when the record does.
   */
  createCommitRecord(repository: RepositoryName, commit: Commit, options?: Forceable): Promise<void>;
  /** Lists of addresses for every directory below `location`, as files in the block store; returns the address of their folder. */
  createSymlinks(repository: RepositoryName, branch: string, location: string): Promise<string>;

  /** An unused relative address, for an object that is written first and staged later: `data/<partition>/<id>`. */
  allocateAddress(): string;
  /** Location of a range or metarange file relative to the namespace. */
  metadataLocation(repository: RepositoryName, id: string): Promise<string>;
  /** Its bytes. */
  openMetadata(repository: RepositoryName, kind: 'range' | 'meta_range', id: string): Promise<MetadataFile>;

  /** Records of everything that a ref shows, by key. Close the cursor, also after an error. */
  view(repository: RepositoryName, ref: string): Promise<ViewCursor>;
  /** How far a view equals that of a commit. */
  committedPart(repository: RepositoryName, ref: string, from: Buffer): Promise<CommittedPart>;
  uncommittedRecords(repository: Repository, branch: string, request?: DifferenceRequest): AsyncIterable<KeyDifference>;
  /** Runs `work`, which refers to `content`, while no collector removes it, on any server. */
  withPins<T>(repository: Repository, content: PinnedContent, work: () => Promise<T>): Promise<T>;
  /** The sorted tables of committed metadata. */
  readonly tables: CommittedStore;
  /** Extension points beside those of the kernel. */
  readonly hooks: EngineHooks;
}

declare module '@srv/kernel' {
  interface Services {
    engine: Engine;
  }
}
