/** Pull requests as they travel. */
import { ask } from '@srv/lib-page/page';
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
