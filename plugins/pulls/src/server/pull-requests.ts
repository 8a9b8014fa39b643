/** Pull requests: a title and two branches, with an index by pair of branches. */

import { SrvError } from '@srv/kernel';
import { Records, Retries, descendingXid, isRepositoryPartition, partitionOf, runEpoch, xidSeconds } from '@srv/lib-records';
import { removeBelow } from '@srv/lib-stores/kv';
import { decodeApproval } from './approval-record.js';
import { approvalPrefix, createApprovals } from './approvals.js';
import { decodeComment } from './comment-record.js';
import { commentPrefix, createComments } from './comments.js';
import { decodePullRequest, encodePullRequest, encodeSecondaryIndex } from './pull-request-record.js';
import { createSettings, settingsKey } from './settings.js';
import { decodeSettings } from './settings-record.js';
import { sourceRemoval } from './source-removal.js';
import type { BranchProtection, Engine, Repository } from '@srv/engine/contract';
import type { BranchChange, KvEntry, KvStore, Logger } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { Approval, PullRequest, PullRequests } from '../contract.js';

const prefix = 'pulls';
/** Partition of the index of all repositories. */
export const indexPartition = 'pulls';

interface PullRequestParts {
  readonly kv: KvStore;
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly protection: () => BranchProtection | undefined;
  readonly mayApprove: (approval: Approval, repository: Repository) => Promise<boolean>;
}

export function createPullRequests({ kv, engine, metrics, log, protection, mayApprove }: PullRequestParts): {
  readonly service: PullRequests;
  readonly guard: (change: BranchChange) => Promise<void>;
} {
  const records = new Records<PullRequest>(kv, { prefix, what: 'pull request', encode: encodePullRequest, decode: decodePullRequest });
  const retries = new Retries(metrics, ['update_pull_request', 'update_pull_comment', 'update_pull_settings']);

  async function update(repository: Repository, id: string, change: (pull: PullRequest) => PullRequest): Promise<void> {
    checkId(id);
    const partition = partitionOf(repository);
    await retries.run('update_pull_request', `update pull request ${id}`, async () => {
      const { value, predicate } = await records.get(partition, id);
      return (await records.replace(partition, id, change(value), predicate)) || undefined;
    });
  }

  async function get(repository: Repository, id: string): Promise<PullRequest> {
    checkId(id);
    return (await records.get(partitionOf(repository), id)).value;
  }

  const settings = createSettings({ kv, engine, retries, protection });
  const comments = createComments({ kv, engine, retries, pull: get });
  const approvals = createApprovals({ kv, engine, settings, pull: get, mayApprove });
  const removeSource = sourceRemoval(engine, settings, log);

  const service: PullRequests = {
    comments,
    approvals: approvals.service,
    settings,
    async create(repositoryId, { description = '', ...facts }) {
      const { source, destination } = facts;
      const repository = await engine.getRepository(repositoryId);
      if (source === destination) throw new SrvError('invalid', `source and destination branches are the same: ${source}: same branch`);
      await Promise.all([engine.getBranch(repository, source), engine.getBranch(repository, destination)]);
      const pull: PullRequest = { ...facts, description, id: descendingXid(runEpoch), status: 'open', createdAt: new Date() };
      const partition = partitionOf(repository);
      await records.create(partition, pull.id, pull);
      const indexKey = Buffer.from(`${indexOf(repository)}${source}/${destination}`);
      await kv.set(indexPartition, indexKey, encodeSecondaryIndex(Buffer.from(`${prefix}/${pull.id}`)));
      return pull;
    },
    get: async (repositoryId, id) => get(await engine.getRepository(repositoryId), id),
    async list(repositoryId, { status = 'all', ...request } = {}) {
      const wanted = (pull: PullRequest): boolean => status === 'all' || (status === 'open') === (pull.status === 'open');
      return records.list(partitionOf(await engine.getRepository(repositoryId)), request, pull => pull.id, wanted);
    },
    async update(repositoryId, id, change) {
      await update(await engine.getRepository(repositoryId), id, ({ closedAt: _, ...old }) => {
        const next = { ...old, ...change };
        return next.status === 'open' ? next : { ...next, closedAt: new Date() };
      });
    },
    async merge(repositoryId, id, request) {
      const repository = await engine.getRepository(repositoryId);
      const pull = await get(repository, id);
      if (pull.status !== 'open') throw new SrvError('invalid', `pull request ${id} is ${pull.status}: bad pull request status`);
      const commit = await engine.merge(repository, pull.source, pull.destination, request);
      await update(repository, id, old => ({ ...old, status: 'merged', commitId: commit.id, closedAt: new Date() }));
      await removeSource(repository, pull, commit.parents[1]);
      return commit.id;
    },
  };
  return { service, guard: approvals.guard };
}

/** Removes the index of a repository that is being deleted; its records go with its partition. */
export const removeIndex = (kv: KvStore, repository: Repository): Promise<void> =>
  removeBelow(kv, indexPartition, Buffer.from(indexOf(repository)));

const decoders: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  [prefix]: decodePullRequest,
  [commentPrefix]: decodeComment,
  [approvalPrefix]: decodeApproval,
};

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  if (!isRepositoryPartition(partition)) return undefined;
  if (key.equals(settingsKey)) return decodeSettings(value);
  const kind = key.toString('utf8').split('/', 1)[0] ?? '';
  return Object.hasOwn(decoders, kind) ? decoders[kind]?.(value) : undefined;
}

const indexOf = (repository: Repository): string => `repos/${partitionOf(repository)}/`;

function checkId(id: string): void {
  if (xidSeconds(id) === undefined)
    throw new SrvError(
      'invalid',
      `argument pullRequestID: invalid value: ${JSON.stringify(id)} is not a pull request id: validation error`,
    );
}
