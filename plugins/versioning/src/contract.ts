/** What versioning offers: records, references and the graph. Objects and listings belong to the catalog. */

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
}

export interface Branch {
  readonly id: string;
  readonly commitId: string;
  /** Partition that takes new writes. */
  readonly stagingToken: string;
  /** Older partitions not committed yet, newest first. */
  readonly sealedTokens: readonly string[];
  readonly hidden: boolean;
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
  /** Empty: no objects. */
  readonly metarangeId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** First parent first (destination of a merge). */
  readonly parents: readonly string[];
  readonly version: number;
  readonly generation: number;
}

export interface Page<T> {
  readonly results: readonly T[];
  readonly hasMore: boolean;
  /** Pass as `after` for the next page; empty when `hasMore` is false. */
  readonly nextOffset: string;
}

export interface PageRequest {
  /** Results start with this; absent or empty: all. */
  readonly prefix?: string;
  /** Exclusive; need not exist. */
  readonly after?: string;
  /** 1 to 1000; absent: 100. */
  readonly amount?: number;
}

/** Accepts changes to a read-only repository. */
export interface Forceable {
  readonly force?: boolean;
}

export interface CommitRequest extends Forceable {
  readonly committer: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Absent: now. */
  readonly date?: Date;
  readonly allowEmpty?: boolean;
  /** Becomes the commit's content as it is; the branch must be clean. */
  readonly sourceMetarange?: string;
  readonly signal?: AbortSignal;
}

export type MergeStrategy = 'none' | 'dest-wins' | 'source-wins';

export interface MergeRequest extends Forceable {
  readonly committer: string;
  readonly message?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly strategy?: MergeStrategy;
  readonly squash?: boolean;
  readonly allowEmpty?: boolean;
  readonly signal?: AbortSignal;
}

export interface CommitOverrides {
  readonly message?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface RevertRequest extends Forceable {
  readonly ref: string;
  /** From 1; 0 or absent: the commit has one parent. */
  readonly parentNumber?: number;
  readonly committer: string;
  readonly allowEmpty?: boolean;
  readonly overrides?: CommitOverrides;
}

export interface CherryPickRequest extends Forceable {
  readonly ref: string;
  readonly parentNumber?: number;
  readonly committer: string;
  readonly allowEmpty?: boolean;
  readonly overrides?: CommitOverrides;
}

export interface LogRequest {
  /** Commit (any ref expression) to continue behind. */
  readonly after?: string;
  readonly amount?: number;
  /** Stop after `amount` for good: `hasMore` stays false. */
  readonly limit?: boolean;
  readonly firstParent?: boolean;
  readonly noMerges?: boolean;
  /** Older commits are neither shown nor followed. */
  readonly since?: Date;
  /** Last commit shown, any ref expression. */
  readonly stopAt?: string;
  /** Only commits that changed one of these paths … */
  readonly objects?: readonly string[];
  /** … or anything below one of these prefixes. */
  readonly prefixes?: readonly string[];
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

export type PullRequestStatus = 'open' | 'closed' | 'merged';

export interface PullRequest {
  readonly id: string;
  readonly status: PullRequestStatus;
  readonly createdAt: Date;
  readonly title: string;
  readonly author: string;
  readonly description: string;
  readonly source: string;
  readonly destination: string;
  readonly commitId?: string;
  readonly closedAt?: Date;
}
