/** Who the author of a pull request is. */
import type { Author, PullRequest } from '../contract.js';

type Authorship = Pick<PullRequest, 'author' | 'authorUsername'>;

/**
 * Whether a user is the author: by the name of the user, which stays, or by either name that commits may have carried. The latter
 * changes with the e-mail address, and is all that records of earlier versions have.
 */
export function isAuthor({ author, authorUsername }: Authorship, { username, committer }: Author): boolean {
  return authorUsername === username || author === username || author === committer;
}

/** By which the user is found who is the author. */
export const authorNameOf = ({ author, authorUsername }: Authorship): string => authorUsername ?? author;
