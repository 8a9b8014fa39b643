/** Pull requests: proposals to merge one branch into another, with comments, reviewers, checks and approvals. */

import type { MergeRequest } from '@srv/engine/contract';
import type { User } from '@srv/kernel';
import type { Page, PageRequest } from '@srv/lib-records';

export type PullRequestStatus = 'open' | 'closed' | 'merged';

export interface PullRequest {
  readonly id: string;
  readonly status: PullRequestStatus;
  readonly createdAt: Date;
  readonly title: string;
  /** The name that the author's commits carried. */
  readonly author: string;
  /** Name of the user; absent in records of earlier versions. */
  readonly authorUsername?: string;
  readonly description: string;
  readonly source: string;
  readonly destination: string;
  /** Of the merge; absent before it. */
  readonly commitId?: string;
  readonly closedAt?: Date;
}

export interface NewPullRequest extends Pick<PullRequest, 'title' | 'author' | 'source' | 'destination'> {
  readonly description?: string | undefined;
}

/** What is absent stays as it is. */
export interface PullRequestChange {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: PullRequestStatus | undefined;
}

/** All methods take the name of a repository and throw SrvError: `not_found`, `invalid`, `conflict`, … */
export interface PullRequests {
  /** @param by whose event it is; absent: the author. */
  create(repository: string, facts: NewPullRequest, by?: Author): Promise<PullRequest>;
  get(repository: string, id: string): Promise<PullRequest>;
  list(repository: string, request?: PageRequest & { readonly status?: 'open' | 'closed' | 'all' }): Promise<Page<PullRequest>>;
  update(repository: string, id: string, change: PullRequestChange, by?: Author): Promise<void>;
  /** @returns the commit. */
  merge(repository: string, id: string, request: MergeRequest): Promise<string>;
  readonly comments: PullRequestComments;
  readonly approvals: PullRequestApprovals;
  readonly reviewers: PullRequestReviewers;
  readonly checks: PullRequestChecks;
  readonly settings: PullRequestSettingsStore;
}

/** Who writes a comment or approves: the name of the user, and the name that goes into commits. */
export type Author = Pick<User, 'username'> & { readonly committer: string };

export interface Comment {
  readonly id: string;
  /** Id of the pull request. */
  readonly pull: string;
  readonly author: Author;
  /** Empty once it is deleted. */
  readonly body: string;
  /** The comment at the top of its thread; absent there. */
  readonly parent?: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deleted: boolean;
  /** Of a thread: said by whom. */
  readonly resolvedBy?: Author | undefined;
  /** The object that it is about … */
  readonly path?: string | undefined;
  /** … and the line or row of it, from 1 on. */
  readonly line?: number | undefined;
}

export interface NewComment extends Pick<Comment, 'author' | 'body' | 'parent' | 'path' | 'line'> {}

/** Comments of pull requests, oldest first. */
export interface PullRequestComments {
  add(repository: string, pull: string, comment: NewComment): Promise<Comment>;
  get(repository: string, pull: string, id: string): Promise<Comment>;
  list(repository: string, pull: string, request?: PageRequest): Promise<Page<Comment>>;
  /** @throws SrvError `denied` for the text of another author. */
  update(repository: string, pull: string, id: string, change: CommentChange): Promise<void>;
  /** The text goes, its place in the thread remains. @param anyones whether `by` may delete what others wrote. */
  remove(repository: string, pull: string, id: string, by: Author, anyones: boolean): Promise<void>;
}

export interface CommentChange {
  readonly by: Author;
  readonly body?: string | undefined;
  /** Of a comment at the top of a thread. */
  readonly resolved?: boolean | undefined;
}

export interface Approval {
  readonly pull: string;
  readonly by: Author;
  /** The approved commit: the approval counts only while the source points to it. */
  readonly commitId: string;
  readonly destination: string;
  readonly createdAt: Date;
  /** Where the approver was, for conditions of policies. */
  readonly sourceIp?: string | undefined;
}

export interface ApprovalState {
  /** Approvals that the destination asks for. */
  readonly required: number;
  /** Head of the source; what was merged, where it was. */
  readonly commitId: string;
  /** Those that count. */
  readonly approvals: readonly Approval[];
}

export interface PullRequestApprovals {
  /** Approves the head of the source. @throws SrvError `forbidden` for the author, `precondition_failed` when the head is not `commitId`. */
  approve(repository: string, pull: string, approval: { by: Author; commitId?: string | undefined; sourceIp?: string }): Promise<Approval>;
  /** Takes back all approvals that `by` gave the pull request, of any commit, also where the source is gone; none is not an error. */
  withdraw(repository: string, pull: string, by: Author): Promise<void>;
  state(repository: string, pull: string): Promise<ApprovalState>;
}

/** A user who is asked to review a pull request. */
export interface Reviewer {
  readonly pull: string;
  readonly username: string;
  readonly requestedBy: Author;
  readonly createdAt: Date;
}

export interface PullRequestReviewers {
  /** In the order of their names. */
  list(repository: string, pull: string): Promise<readonly Reviewer[]>;
  /** A user who is asked already stays so. @throws SrvError `not_found` for unknown users, `forbidden` for the author. */
  request(repository: string, pull: string, username: string, by: Author): Promise<void>;
  /** A user who is not asked is not an error. */
  remove(repository: string, pull: string, username: string): Promise<void>;
}

/** The newest result of a hook of `pre-merge`, for the commit that would be merged now or was. */
export interface Check {
  readonly runId: string;
  readonly hookRunId: string;
  readonly action: string;
  readonly hookId: string;
  readonly status: 'completed' | 'failed' | 'skipped' | 'running';
  readonly start: Date;
  readonly end?: Date;
}

export interface CheckState {
  /** Head of the source, or the merged commit. */
  readonly commitId: string;
  /** `none`: no hook has run yet for this commit. */
  readonly status: 'none' | 'running' | 'failed' | 'passed';
  /** By action and hook. */
  readonly checks: readonly Check[];
}

export interface PullRequestChecks {
  state(repository: string, pull: string): Promise<CheckState>;
  /**
   * Runs in the background the hooks that a merge would ask now. Nothing is merged.
   * @returns the id of the run. @throws SrvError `invalid` where no hook asks, `conflict` where the branches conflict.
   */
  run(repository: string, pull: string, by: Author): Promise<string>;
}

/** Merges into branches that match need this number of approvals. */
export interface ApprovalRule {
  readonly pattern: string;
  readonly approvals: number;
}

export interface PullRequestSettings {
  readonly deleteSourceOnMerge: boolean;
  readonly rules: readonly ApprovalRule[];
}

export interface PullRequestSettingsStore {
  get(repository: string): Promise<PullRequestSettings>;
  /** What is absent stays as it is. */
  set(repository: string, change: { readonly [K in keyof PullRequestSettings]?: PullRequestSettings[K] | undefined }): Promise<void>;
}

declare module '@srv/kernel' {
  interface Services {
    pulls: PullRequests;
  }
}
