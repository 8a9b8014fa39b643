/** What the engine's methods about branches, tags, commits and records take and return. */
export type { Page, PageRequest } from '@srv/lib-records';

export interface Repository {
  readonly id: string;
  readonly storageNamespace: string;
  readonly defaultBranch: string;
  readonly creationDate: Date;
  readonly state: 'active' | 'in_deletion';
  /** New for every creation: leftovers of a deleted namesake are unreachable. */
  readonly instanceUid: string;
  readonly readOnly: boolean;
  readonly storageId: string;
  /** How often it has moved to another storage namespace. Absent: never. */
  readonly storageEpoch?: number;
  /** Move that is about to end: until then the repository takes no changes. */
  readonly frozenBy?: string;
}

/** A repository by its id, or as it was read: then it is not read again. */
export type RepositoryName = string | Repository;

export interface Branch {
  readonly id: string;
  readonly commitId: string;
  /** Partition that takes new writes. */
  readonly stagingToken: string;
  /** Older partitions not committed yet, newest first. */
  readonly sealedTokens: readonly string[];
  readonly hidden: boolean;
  /** New for every creation. Absent where an earlier release or another program wrote the record. */
  readonly instanceUid?: string;
  /** That of the repository whose storage namespace takes its data; `storage-epoch.ts` says why. */
  readonly storageEpoch?: number;
  /** Absent: nothing is folded, or another program wrote the record. */
  readonly folded?: FoldedRows;
  /** A move of the head that relies on a clean branch is under way, or was when a server died; `head-update.ts` says why. */
  readonly headMove?: string | undefined;
}

/** The head with older uncommitted rows applied: readers need not look at those rows. They stay until they are committed. */
export interface FoldedRows {
  /** The newest partition whose rows are in the metarange; those of older ones are, too. */
  readonly token: string;
  /** Head that they were applied to. */
  readonly commitId: string;
  readonly metarangeId: string;
}

/** A move of a branch that its commits do not show. */
export interface BranchJump {
  /** Newer ones sort first. */
  readonly id: string;
  readonly branch: string;
  readonly operation: 'reset' | 'delete' | 'undelete' | 'create';
  /** Commit before; empty: there was no such branch. */
  readonly from: string;
  /** Commit after; empty: there is no such branch. */
  readonly to: string;
  readonly time: Date;
  /** Until then `from` can be restored. */
  readonly keptUntil: Date;
  /** Empty: unknown. */
  readonly user: string;
  /** Whether the deleted branch was hidden. */
  readonly hidden: boolean;
}

/** One move of a branch. */
export interface BranchLogEntry {
  readonly operation: 'commit' | 'merge' | 'reset' | 'create' | 'delete' | 'undelete';
  /** Head after it; empty: there was no such branch. */
  readonly commitId: string;
  /** Head before it; empty: there was no such branch. */
  readonly previous: string;
  readonly time: Date;
  /** User, or committer of the commit; empty: not known. */
  readonly user: string;
  /** Of the commit. */
  readonly message?: string;
}

/** A branch that can be restored. */
export interface DeletedBranch {
  readonly id: string;
  /** Its last head. */
  readonly commitId: string;
  readonly deletedAt: Date;
  /** Empty: not known. */
  readonly deletedBy: string;
  readonly keptUntil: Date;
}

export interface Tag {
  readonly id: string;
  readonly commitId: string;
}

export interface Commit {
  /** 64 lower-case hexadecimal characters. */
  readonly id: string;
  readonly committer: string;
  readonly message: string;
  readonly creationDate: Date;
  /** Nanoseconds beyond the milliseconds of the date, 1 to 999999, as records of other installations have them. */
  readonly creationNanos?: number;
  /** Empty: no objects. */
  readonly metarangeId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** First parent first (destination of a merge). */
  readonly parents: readonly string[];
  readonly version: number;
  readonly generation: number;
}

/** Accepts changes to a read-only repository. */
export interface Forceable {
  readonly force?: boolean | undefined;
}

/** Options of a change that is announced to plugins by an event. */
export interface ChangeOptions extends Forceable {
  /** Name of the requesting user. Default: the committer, if there is one. */
  readonly user?: string | undefined;
  /** Aborted when the caller no longer waits for the change. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of the deletion of a branch. */
export interface BranchDeletion extends ChangeOptions {
  /** Called just before the branch goes, with the branch as it then is: it stays when this throws. */
  readonly confirm?: (branch: Branch) => Promise<void>;
}

export interface CommitRequest extends ChangeOptions {
  readonly committer: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Absent: now. */
  readonly date?: Date | undefined;
  readonly allowEmpty?: boolean;
  /** Becomes the commit's content as it is; the branch must be clean. `''`: no objects. */
  readonly sourceMetarange?: string | undefined;
  /** Id of the commit that the branch must still be at; otherwise `precondition_failed`. */
  readonly expectedHead?: string;
}

export type MergeStrategy = 'none' | 'dest-wins' | 'source-wins';

export interface MergeRequest extends ChangeOptions {
  readonly committer: string;
  readonly message?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly strategy?: MergeStrategy;
  readonly squash?: boolean;
  readonly allowEmpty?: boolean;
}

export interface CommitOverrides {
  readonly message?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface RevertRequest extends ChangeOptions {
  readonly ref: string;
  /** From 1; 0 or absent: the commit has one parent. */
  readonly parentNumber?: number;
  readonly committer: string;
  readonly allowEmpty?: boolean;
  readonly overrides?: CommitOverrides | undefined;
}

export interface CherryPickRequest extends ChangeOptions {
  readonly ref: string;
  readonly parentNumber?: number | undefined;
  readonly committer: string;
  readonly allowEmpty?: boolean;
  readonly overrides?: CommitOverrides | undefined;
}

export interface LogRequest {
  /** Commit (any ref expression) to continue after. */
  readonly after?: string | undefined;
  readonly amount?: number | undefined;
  /** Stop after `amount` for good: `hasMore` stays false. */
  readonly limit?: boolean;
  readonly firstParent?: boolean;
  readonly noMerges?: boolean;
  /** Older commits are neither shown nor followed. */
  readonly since?: Date | undefined;
  /** Last commit shown, any ref expression. */
  readonly stopAt?: string | undefined;
  /** A ref expression: only commits that it does not lead to; children before parents, whatever their dates. */
  readonly exclude?: string | undefined;
  /** Only commits that changed one of these paths … */
  readonly objects?: readonly string[] | undefined;
  /** … or anything below one of these prefixes. */
  readonly prefixes?: readonly string[];
}

export interface LastCommitsRequest {
  /** Objects, and folders with a trailing slash. */
  readonly paths: readonly string[];
  /** Commits that are looked at. */
  readonly amount?: number | undefined;
  readonly timeMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface LastCommits {
  /** By path: the newest commit with one parent that changed it, or something in it. */
  readonly commits: ReadonlyMap<string, Commit>;
  /** Commits that were looked at. */
  readonly looked: number;
  /** False: paths that are missing may have been changed by older commits. */
  readonly isWhole: boolean;
}

export interface MergeBase {
  readonly sourceCommitId: string;
  readonly destinationCommitId: string;
  readonly baseCommitId: string;
}

export interface BranchProtectionRules {
  /** Glob over the whole branch name -> blocked actions. */
  readonly rules: Readonly<Record<string, readonly BlockedAction[]>>;
  /** Version tag of the stored rules; empty when never set. */
  readonly etag: string;
}

export type BlockedAction = 'staging_write' | 'commit';

/** What a change does to a branch: what rules can block, and the ways by which content comes from other commits. */
export type BranchAction = BlockedAction | 'merge' | 'replay' | 'import' | 'delete';

/** Rules by name of their repository; provided by the plugin `branch-protection`. */
export interface BranchProtection {
  get(repository: string): Promise<BranchProtectionRules>;
  /**
   * @param ifMatch absent: last writer wins; empty: only when never set.
   * @throws SrvError `invalid` for a bad pattern, `precondition_failed` when the stored rules are not those of `ifMatch`.
   */
  set(repository: string, rules: BranchProtectionRules['rules'], ifMatch?: string): Promise<void>;
}

/** Identity and encoded entry, as framed in tables. */
export interface StoredValue {
  readonly identity: Buffer;
  readonly data: Buffer;
}

/** What a ref expression points at. */
export interface ResolvedRef {
  readonly kind: 'branch' | 'tag' | 'commit';
  readonly commitId: string;
  /** Set when uncommitted changes are visible through the ref. */
  readonly branch?: Branch;
  /** The ref was written with `$`: it is not a commit. */
  readonly staging: boolean;
}

export interface KeyedValue {
  readonly key: Buffer;
  readonly value: StoredValue;
}

/** Records visible at a ref, uncommitted ones included where the ref shows them. Close it, also after an error. */
export interface ViewCursor {
  /** `undefined` past the end. */
  readonly current: KeyedValue | undefined;
  /** Goes to the first record that is not below `key`. */
  seek(key: Buffer): Promise<void>;
  /** Await the result when there is one. */
  next(): Promise<void> | undefined;
  /** Metarange of which all records shown so far are, with nothing uncommitted among them; `undefined` when that cannot be said. */
  readonly metarangeId: string | undefined;
  close(): void;
}

/** What a ref shows from a key on. */
export interface CommittedPart {
  /** Empty: no objects. */
  readonly metarangeId: string;
  /** First key at which something uncommitted is shown or hidden; before it all is as in the metarange. */
  readonly uncommitted: Buffer | undefined;
}

export interface KeyDifference {
  readonly type: 'added' | 'removed' | 'changed' | 'conflict';
  readonly key: Buffer;
  readonly left?: StoredValue | undefined;
  readonly right?: StoredValue | undefined;
}

export interface DifferenceRequest {
  readonly prefix?: Buffer | undefined;
  /** First key of interest. */
  readonly start?: Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Decides whether a write may go ahead, from what is at the key now. */
export type ValueCondition = (current: StoredValue | undefined) => boolean;

export interface SetOptions extends Forceable {
  /** The write fails with `precondition_failed` unless it holds at the moment of writing. */
  readonly condition?: ValueCondition | undefined;
}

export interface NewRepository {
  readonly id: string;
  readonly storageNamespace: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
  readonly bare: boolean;
  readonly storageId: string;
}

export interface ImportCommitRequest extends ChangeOptions {
  /** Holds exactly what is imported. */
  readonly metarangeId: string;
  /** What goes away from the branch: keys below these prefixes, and these keys. */
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
  readonly committer: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Absent: now. */
  readonly date?: Date;
  /** Refused with `precondition_failed` when the branch is elsewhere. */
  readonly expectedHead?: string;
}

/** Content that an operation is about to refer to. */
export interface PinnedContent {
  readonly commits?: readonly string[];
  readonly metaranges?: readonly string[];
  /** As entries hold them. */
  readonly addresses?: readonly string[];
  /** Everything the repository stores, for example while another repository imports from it. */
  readonly everything?: true;
}

export type ResetScope =
  | { readonly type: 'all' }
  | { readonly type: 'object'; readonly path: string }
  | { readonly type: 'prefix'; readonly prefix: string };

declare module '@srv/kernel' {
  interface Services {
    branchProtection: BranchProtection;
  }
  interface BranchChange {
    readonly repository: Repository;
    readonly branch: string;
    /** What the change would do; `replay` is a revert or a cherry-pick. */
    readonly actions: readonly BranchAction[];
    /** Id of the commit that a merge takes. */
    readonly source?: string | undefined;
    /** The change is refused. @param reason follows the error's text. */
    block(reason?: string): void;
  }
  interface DeletedRepository extends Repository {}
}
