/** Pull requests: proposals to merge one branch into another. */

import type { MergeRequest } from '@srv/engine/contract';
import type { Page, PageRequest } from '@srv/lib-records';

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
  /** Of the merge; absent before it. */
  readonly commitId?: string;
  readonly closedAt?: Date;
}

export interface NewPullRequest extends Pick<PullRequest, 'title' | 'author' | 'source' | 'destination'> {
  readonly description?: string;
}

/** All methods take the name of a repository and throw SrvError: `not_found`, `invalid`, `conflict`, … */
export interface PullRequests {
  create(repository: string, facts: NewPullRequest): Promise<PullRequest>;
  get(repository: string, id: string): Promise<PullRequest>;
  list(repository: string, request?: PageRequest & { readonly status?: 'open' | 'closed' | 'all' }): Promise<Page<PullRequest>>;
  update(repository: string, id: string, change: Partial<Pick<PullRequest, 'title' | 'description' | 'status'>>): Promise<void>;
  /** @returns the commit. */
  merge(repository: string, id: string, request: MergeRequest): Promise<string>;
}

declare module '@srv/kernel' {
  interface Services {
    pulls: PullRequests;
  }
}
