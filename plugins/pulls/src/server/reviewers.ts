/** Users who are asked to review pull requests. */

import { SrvError } from '@srv/kernel';
import { Records, checkWritable, partitionOf } from '@srv/lib-records';
import { isAuthor } from './authorship.js';
import { decodeReviewer, encodeReviewer } from './reviewer-record.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { KvStore, User } from '@srv/kernel';
import type { PullRequest, PullRequestReviewers, Reviewer } from '../contract.js';
import type { Announce } from './announcement.js';

export const reviewerPrefix = 'pull-reviewers';
/** Reviewers of one pull request. */
const most = 50;

interface ReviewerParts {
  readonly kv: KvStore;
  readonly engine: Pick<Engine, 'getRepository'>;
  /** @throws SrvError `not_found`. */
  readonly pull: (repository: Repository, id: string) => Promise<PullRequest>;
  /** Where users are kept here. @throws SrvError `not_found`. */
  readonly findUser: (username: string) => Promise<User | undefined>;
  readonly announce: Announce;
}

export interface ReviewersOfPull extends PullRequestReviewers {
  of(repository: Repository, pull: string): Promise<readonly Reviewer[]>;
}

export function createReviewers({ kv, engine, pull: find, findUser, announce }: ReviewerParts): ReviewersOfPull {
  const records = new Records<Reviewer>(kv, { prefix: reviewerPrefix, what: 'reviewer', encode: encodeReviewer, decode: decodeReviewer });

  async function of(repository: Repository, pull: string): Promise<readonly Reviewer[]> {
    const found: Reviewer[] = [];
    for await (const reviewer of records.scan(partitionOf(repository), `${pull}/`)) {
      if (reviewer.pull !== pull) break;
      found.push(reviewer);
    }
    return found;
  }

  return {
    of,
    async list(repositoryId, id) {
      const repository = await engine.getRepository(repositoryId);
      await find(repository, id);
      return of(repository, id);
    },
    async request(repositoryId, id, username, by) {
      const repository = await engine.getRepository(repositoryId);
      checkWritable(repository);
      const pull = await find(repository, id);
      if (pull.status !== 'open') throw new SrvError('invalid', `pull request ${id} is ${pull.status}: bad pull request status`);
      const user = await findUser(username);
      if (isAuthor(pull, { username, committer: user?.email ?? username }))
        throw new SrvError('forbidden', `pull request ${id} is by ${pull.author}: authors cannot review their own`);
      const present = await of(repository, id);
      if (present.some(reviewer => reviewer.username === username)) return;
      if (present.length >= most)
        throw new SrvError('invalid', `pull request ${id} has ${present.length} reviewers: at most ${most} are possible; remove one first`);
      const reviewer: Reviewer = { pull: id, username, requestedBy: by, createdAt: new Date() };
      if (await records.createIfAbsent(partitionOf(repository), keyOf(id, username), reviewer))
        announce({ repository, pull, change: 'review-requested', by, reviewer: username });
    },
    async remove(repositoryId, id, username) {
      const repository = await engine.getRepository(repositoryId);
      checkWritable(repository);
      await find(repository, id);
      await records.remove(partitionOf(repository), keyOf(id, username));
    },
  };
}

const keyOf = (pull: string, username: string): string => `${pull}/${username}`;
