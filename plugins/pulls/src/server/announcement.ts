/** A change of a pull request. */
import type { Repository } from '@srv/engine/contract';
import type { PullRequestChange } from '@srv/kernel';
import type { Author, Comment, PullRequest } from '../contract.js';

export interface Announcement {
  readonly repository: Repository;
  readonly pull: PullRequest;
  readonly change: PullRequestChange;
  readonly by: Author;
  readonly comment?: Comment;
  /** Name of the user who is asked. */
  readonly reviewer?: string;
}

export type Announce = (announcement: Announcement) => void;

/** Path on the web page. */
export const pageOf = ({ repository, pull }: Announcement): string =>
  `/repositories/${encodeURIComponent(repository.id)}/pulls/${encodeURIComponent(pull.id)}`;
