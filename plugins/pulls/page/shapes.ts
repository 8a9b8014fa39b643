/** Pull requests as they travel. */
import { Refusal, ask } from '@srv/lib-page/page';
import type { Page } from '@srv/lib-page/page';

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

export interface Approvals {
  readonly required: number;
  readonly approved: boolean;
  /** Head of the source, which they are of. */
  readonly commit_id: string;
  readonly results: readonly { readonly user_id: string; readonly user: string; readonly creation_date: string }[];
}

export interface Comment {
  readonly id: string;
  readonly author: string;
  readonly author_id: string;
  readonly body: string;
  /** Of the comment that it answers. */
  readonly parent_id?: string;
  readonly creation_date: string;
  readonly updated_date: string;
  readonly deleted: boolean;
  readonly resolved: boolean;
  readonly resolved_by?: string;
  readonly path?: string;
  readonly line?: number;
}

export const getApprovals = async (repository: string, id: string, signal: AbortSignal): Promise<Approvals> =>
  (await ask('getPullRequestApprovals', { repository, pull_request: id }, { signal })) as Approvals;

export interface Reviewer {
  readonly user_id: string;
  readonly requested_by: string;
  readonly creation_date: string;
}

export const listReviewers = async (repository: string, id: string, signal: AbortSignal): Promise<readonly Reviewer[]> =>
  ((await ask('listPullRequestReviewers', { repository, pull_request: id }, { signal })) as { readonly results: readonly Reviewer[] })
    .results;

export interface Check {
  readonly run_id: string;
  readonly hook_run_id: string;
  readonly action: string;
  readonly hook_id: string;
  readonly status: 'completed' | 'failed' | 'skipped' | 'running';
}

export interface Checks {
  readonly status: 'none' | 'running' | 'failed' | 'passed';
  readonly results: readonly Check[];
}

/** `undefined` for users who may read pull requests and no runs. */
export async function getChecks(repository: string, id: string, signal: AbortSignal): Promise<Checks | undefined> {
  try {
    return (await ask('getPullRequestChecks', { repository, pull_request: id }, { signal })) as Checks;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return undefined;
    throw error;
  }
}

/** All of them, oldest first. */
export async function listComments(repository: string, id: string, signal: AbortSignal): Promise<readonly Comment[]> {
  const found: Comment[] = [];
  for (let after = ''; ; ) {
    const page = (await ask('listPullRequestComments', { repository, pull_request: id, after, amount: 1000 }, { signal })) as Page<Comment>;
    found.push(...page.results);
    if (!page.pagination.has_more) return found;
    after = page.pagination.next_offset;
  }
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

/** Pages of pull requests that are looked through. */
const mostPages = 10;

/** An open pull request of these branches, where there is one. */
export async function openPull(
  repository: string,
  source: string,
  destination: string,
  signal: AbortSignal,
): Promise<PullRequest | undefined> {
  let after = '';
  for (let page = 0; source !== '' && page < mostPages; page++) {
    const { results, pagination } = await listPullRequests(repository, 'open', after, signal);
    const found = results.find(pull => pull.source_branch === source && pull.destination_branch === destination);
    if (found || !pagination.has_more) return found;
    after = pagination.next_offset;
  }
  return undefined;
}
