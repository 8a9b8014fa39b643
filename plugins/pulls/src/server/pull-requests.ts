/** Pull requests: a title and two branches, with an index by pair of branches. */

import { SrvError } from '@srv/kernel';
import { Records, Retries, descendingXid, isRepositoryPartition, partitionOf, persistently, runEpoch, xidSeconds } from '@srv/lib-records';
import { removeBelow } from '@srv/lib-stores/kv';
import { decodeApproval } from './approval-record.js';
import { approvalPrefix, createApprovals } from './approvals.js';
import { createChecks } from './checks.js';
import { decodeComment } from './comment-record.js';
import { commentPrefix, createComments } from './comments.js';
import { decodePullRequest, encodePullRequest, encodeSecondaryIndex } from './pull-request-record.js';
import { decodeReviewer } from './reviewer-record.js';
import { createReviewers, reviewerPrefix } from './reviewers.js';
import { createSettings, settingsKey } from './settings.js';
import { decodeSettings } from './settings-record.js';
import { sourceRemoval } from './source-removal.js';
import type { ActionRuns } from '@srv/actions/contract';
import type { BranchProtection, Engine, Repository } from '@srv/engine/contract';
import type { BranchChange, KvEntry, KvStore, Logger, User } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { Approval, Author, Comment, NewPullRequest, PullRequest, PullRequestStatus, PullRequests, Reviewer } from '../contract.js';
import type { Announce } from './announcement.js';

const prefix = 'pulls';
/** Milliseconds in which it is tried to store that a pull request is merged. */
const recordingTime = 10_000;
/** Partition of the index of all repositories. */
export const indexPartition = 'pulls';

interface PullRequestParts {
  readonly kv: KvStore;
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly protection: () => BranchProtection | undefined;
  readonly mayApprove: (approval: Approval, repository: Repository) => Promise<boolean>;
  /** Absent: nothing runs hooks. */
  readonly actions: () => ActionRuns | undefined;
  readonly findUser: (username: string) => Promise<User | undefined>;
  readonly announce: Announce;
}

interface PullRequestPlugin {
  readonly service: PullRequests;
  readonly guard: (change: BranchChange) => Promise<void>;
  readonly reviewers: (repository: Repository, pull: string) => Promise<readonly Reviewer[]>;
  readonly thread: (repository: Repository, comment: Comment) => Promise<readonly Comment[]>;
}

export function createPullRequests(parts: PullRequestParts): PullRequestPlugin {
  const { kv, engine, metrics, log, announce } = parts;
  const records = new Records<PullRequest>(kv, { prefix, what: 'pull request', encode: encodePullRequest, decode: decodePullRequest });
  const retries = new Retries(metrics, ['update_pull_request', 'update_pull_comment', 'update_pull_settings']);

  async function update(repository: Repository, id: string, change: (pull: PullRequest) => PullRequest): Promise<PullRequest> {
    checkId(id);
    const partition = partitionOf(repository);
    return retries.run('update_pull_request', `update pull request ${id}`, async () => {
      const { value, predicate } = await records.get(partition, id);
      const next = change(value);
      return (await records.replace(partition, id, next, predicate)) ? next : undefined;
    });
  }

  async function get(repository: Repository, id: string): Promise<PullRequest> {
    checkId(id);
    return (await records.get(partitionOf(repository), id)).value;
  }

  const settings = createSettings({ ...parts, retries });
  const shared = { ...parts, retries, settings, pull: get };
  const comments = createComments(shared);
  const approvals = createApprovals(shared);
  const reviewers = createReviewers(shared);
  const removeSource = sourceRemoval(engine, settings, log);

  const service: PullRequests = {
    comments,
    approvals: approvals.service,
    reviewers,
    checks: createChecks(shared),
    settings,
    async create(repositoryId, facts, by) {
      const { source, destination } = facts;
      const repository = await engine.getRepository(repositoryId);
      if (source === destination) throw new SrvError('invalid', `source and destination branches are the same: ${source}: same branch`);
      await Promise.all([engine.getBranch(repository, source), engine.getBranch(repository, destination)]);
      const pull = opened(facts, by);
      const partition = partitionOf(repository);
      await records.create(partition, pull.id, pull);
      const indexKey = Buffer.from(`${indexOf(repository)}${source}/${destination}`);
      await kv.set(indexPartition, indexKey, encodeSecondaryIndex(Buffer.from(`${prefix}/${pull.id}`)));
      announce({ repository, pull, change: 'created', by: by ?? named(pull.author) });
      return pull;
    },
    get: async (repositoryId, id) => get(await engine.getRepository(repositoryId), id),
    async list(repositoryId, { status = 'all', ...request } = {}) {
      const wanted = (pull: PullRequest): boolean => status === 'all' || (status === 'open') === (pull.status === 'open');
      return records.list(partitionOf(await engine.getRepository(repositoryId)), request, pull => pull.id, wanted);
    },
    async update(repositoryId, id, { title, description, status }, by = named('')) {
      const repository = await engine.getRepository(repositoryId);
      let before: PullRequestStatus | undefined;
      const pull = await update(repository, id, ({ closedAt: _, ...old }) => {
        const next = {
          ...old,
          title: title ?? old.title,
          description: description ?? old.description,
          status: status ?? old.status,
        };
        before = old.status;
        return next.status === 'open' ? next : { ...next, closedAt: new Date() };
      });
      if (pull.status !== before) announce({ repository, pull, change: pull.status === 'open' ? 'reopened' : pull.status, by });
    },
    async merge(repositoryId, id, request) {
      const repository = await engine.getRepository(repositoryId);
      const pull = await get(repository, id);
      if (pull.status !== 'open') throw new SrvError('invalid', `pull request ${id} is ${pull.status}: bad pull request status`);
      const commit = await engine.merge(repository, pull.source, pull.destination, request);
      const merged = await recordMerge(change => update(repository, id, change), { repository, id, commitId: commit.id, log });
      const { committer, user = committer } = request;
      announce({ repository, pull: merged, change: 'merged', by: { username: user, committer } });
      await removeSource(repository, pull, commit, user);
      return commit.id;
    },
  };
  return { service, guard: approvals.guard, reviewers: reviewers.of, thread: comments.thread };
}

interface Merged {
  readonly repository: Repository;
  /** Of the pull request. */
  readonly id: string;
  readonly commitId: string;
  readonly log: Logger;
}

/** The branches are merged: a passing fault of the database must not leave the pull request open. */
async function recordMerge(
  update: (change: (pull: PullRequest) => PullRequest) => Promise<PullRequest>,
  { repository, id, commitId, log }: Merged,
): Promise<PullRequest> {
  const record = () => update(old => ({ ...old, status: 'merged', commitId, closedAt: new Date() }));
  const what = { repository: repository.id, pull_request: id };
  return persistently(record, { signal: AbortSignal.timeout(recordingTime), log, what }).catch((error: unknown) => {
    const problem = `pull request ${id} is merged, by commit ${commitId}, but that could not be stored; close it once the database is back`;
    throw new SrvError('unavailable', problem, { cause: error, details: what });
  });
}

/** Removes the index of a repository that is being deleted; its records go with its partition. */
export const removeIndex = (kv: KvStore, repository: Repository): Promise<void> =>
  removeBelow(kv, indexPartition, Buffer.from(indexOf(repository)));

const decoders: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  [prefix]: decodePullRequest,
  [commentPrefix]: decodeComment,
  [approvalPrefix]: decodeApproval,
  [reviewerPrefix]: decodeReviewer,
};

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  if (!isRepositoryPartition(partition)) return undefined;
  if (key.equals(settingsKey)) return decodeSettings(value);
  const kind = key.toString('utf8').split('/', 1)[0] ?? '';
  return Object.hasOwn(decoders, kind) ? decoders[kind]?.(value) : undefined;
}

/** @param by the author; absent: only the name in commits is known. */
function opened({ description = '', ...facts }: NewPullRequest, by: Author | undefined): PullRequest {
  return {
    ...facts,
    ...(by === undefined ? {} : { authorUsername: by.username }),
    description,
    id: descendingXid(runEpoch),
    status: 'open',
    createdAt: new Date(),
  };
}

const named = (name: string): Author => ({ username: name, committer: name });

const indexOf = (repository: Repository): string => `repos/${partitionOf(repository)}/`;

function checkId(id: string): void {
  if (xidSeconds(id) === undefined)
    throw new SrvError(
      'invalid',
      `argument pullRequestID: invalid value: ${JSON.stringify(id)} is not a pull request id: validation error`,
    );
}
