/** Pull requests as they travel. */
import { ask } from '../../core/client.js';
import type { Page } from '../../core/answer.js';

export interface PullRequest {
  readonly id: string;
  /** RFC 3339, like the other times here. */
  readonly creation_date: string;
  readonly author: string;
  readonly source_branch: string;
  readonly destination_branch: string;
  readonly status: 'open' | 'closed' | 'merged';
  readonly title: string;
  readonly description: string;
  readonly merged_commit_id?: string;
  readonly closed_date?: string;
}

export const listPullRequests = async (
  repository: string,
  status: string,
  after: string,
  signal: AbortSignal,
): Promise<Page<PullRequest>> =>
  (await ask('listPullRequests', { repository, status, after, amount: 100 }, { signal })) as Page<PullRequest>;

export const getPullRequest = async (repository: string, id: string, signal: AbortSignal): Promise<PullRequest> =>
  (await ask('getPullRequest', { repository, pull_request: id }, { signal })) as PullRequest;

export const secondsOf = (time: string): number => Date.parse(time) / 1000;
