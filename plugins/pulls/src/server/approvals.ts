/**
 * Approvals of pull requests, and the guard that lets nothing into a branch that asks for them but approved commits.
 * An approval is of one commit for one destination: it counts only while the source points to that commit.
 */

import { SrvError, isSrvError } from '@srv/kernel';
import { may, repositoryArn } from '@srv/lib-api';
import { Records, partitionOf } from '@srv/lib-records';
import { decodeApproval, encodeApproval } from './approval-record.js';
import { isAuthor } from './authorship.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { BranchChange, KvStore, User } from '@srv/kernel';
import type { Approval, PullRequest, PullRequestApprovals } from '../contract.js';
import type { Announce } from './announcement.js';
import type { SettingsOfRepository } from './settings.js';

export const approvalPrefix = 'pull-approvals';
const approveAction = 'pr:ApprovePullRequest';

interface ApprovalParts {
  readonly kv: KvStore;
  readonly engine: Pick<Engine, 'getRepository' | 'getBranch'>;
  readonly settings: SettingsOfRepository;
  /** @throws SrvError `not_found`. */
  readonly pull: (repository: Repository, id: string) => Promise<PullRequest>;
  /** Whether the user who gave an approval exists, is active and may approve in the repository, as things are now. */
  readonly mayApprove: (approval: Approval, repository: Repository) => Promise<boolean>;
  readonly announce: Announce;
}

export function createApprovals({ kv, engine, settings, pull: find, mayApprove, announce }: ApprovalParts): {
  readonly service: PullRequestApprovals;
  readonly guard: (change: BranchChange) => Promise<void>;
} {
  const records = new Records<Approval>(kv, { prefix: approvalPrefix, what: 'approval', encode: encodeApproval, decode: decodeApproval });

  /** Approvals of a commit that count now: of open pull requests whose source points to it, by users who may still approve. */
  async function counted(repository: Repository, destination: string, commitId: string): Promise<Map<string, Approval[]>> {
    const found = new Map<string, Approval[]>();
    const start = `${destination}/${commitId}/`;
    for await (const approval of records.scan(partitionOf(repository), start)) {
      if (approval.destination !== destination || approval.commitId !== commitId) break;
      const pull = await find(repository, approval.pull);
      if (pull.status !== 'open' || pull.destination !== destination || isAuthor(pull, approval.by)) continue;
      if ((await headOf(repository, pull.source)) !== commitId) continue;
      if (await mayApprove(approval, repository)) found.set(pull.id, [...(found.get(pull.id) ?? []), approval]);
    }
    return found;
  }

  return {
    async guard({ repository, branch, actions, source, block }) {
      // Branch protection refuses these: settings demand a rule there.
      if (actions.every(action => action === 'staging_write')) return;
      const required = await settings.required(repository, branch);
      if (required === 0) return;
      if (source === undefined || !actions.includes('merge')) return block(`only merges of approved pull requests change ${branch}`);
      const counts = [...(await counted(repository, branch, source)).values()].map(({ length }) => length);
      const given = Math.max(0, ...counts);
      if (given < required) block(`${branch} needs ${required} approvals of commit ${source.slice(0, 12)}, which has ${given}`);
    },
    service: {
      async approve(repositoryId, id, { by, commitId, sourceIp }) {
        const repository = await engine.getRepository(repositoryId);
        const pull = await find(repository, id);
        if (pull.status !== 'open') throw new SrvError('invalid', `pull request ${id} is ${pull.status}: bad pull request status`);
        if (isAuthor(pull, by))
          throw new SrvError('forbidden', `pull request ${id} is by ${pull.author}: authors cannot approve their own`);
        const { commitId: head } = await engine.getBranch(repository, pull.source);
        if (commitId !== undefined && commitId !== head)
          throw new SrvError('precondition_failed', `${pull.source} has moved from commit ${commitId} to ${head}: look at it again`);
        const approval: Approval = {
          pull: id,
          by,
          commitId: head,
          destination: pull.destination,
          createdAt: new Date(),
          sourceIp,
        };
        await records.set(partitionOf(repository), keyOf(approval), approval);
        announce({ repository, pull, change: 'approved', by });
        return approval;
      },
      async withdraw(repositoryId, id, by) {
        const repository = await engine.getRepository(repositoryId);
        const { destination } = await find(repository, id);
        const partition = partitionOf(repository);
        for await (const approval of records.scan(partition, `${destination}/`)) {
          if (approval.destination !== destination) break;
          if (approval.pull === id && approval.by.username === by.username) await records.remove(partition, keyOf(approval));
        }
      },
      async state(repositoryId, id) {
        const repository = await engine.getRepository(repositoryId);
        const pull = await find(repository, id);
        const required = await settings.required(repository, pull.destination);
        const commitId = pull.status === 'merged' ? '' : await headOf(repository, pull.source);
        const approvals = commitId === '' ? [] : ((await counted(repository, pull.destination, commitId)).get(id) ?? []);
        return { required, commitId, approvals };
      },
    },
  };

  /** Empty where the branch is gone. */
  async function headOf(repository: Repository, branch: string): Promise<string> {
    try {
      return (await engine.getBranch(repository, branch)).commitId;
    } catch (error) {
      if (isSrvError(error, 'not_found')) return '';
      throw error;
    }
  }
}

const keyOf = ({ destination, commitId, pull, by }: Pick<Approval, 'destination' | 'commitId' | 'pull' | 'by'>): string =>
  `${destination}/${commitId}/${pull}/${by.username}`;

interface Deciders {
  /** Absent: no users are kept here. */
  readonly findUser: ((username: string) => Promise<User>) | undefined;
  readonly authorize: (request: {
    user: User;
    permission: ReturnType<typeof may>;
    sourceIp?: string | undefined;
  }) => Promise<{ readonly allowed: boolean }>;
}

/** Whether the user of an approval still exists, is active and may still approve. */
export async function isStillAllowed(
  { by, createdAt, sourceIp }: Approval,
  { id }: Repository,
  { findUser, authorize }: Deciders,
): Promise<boolean> {
  try {
    const user: User = (await findUser?.(by.username)) ?? { username: by.username, createdAt: new Date(0) };
    // A later user of the same name is another one.
    if (user.inactive === true || user.createdAt > createdAt) return false;
    const permission = may(approveAction, repositoryArn(id));
    return (await authorize({ user, permission, sourceIp })).allowed;
  } catch (error) {
    if (isSrvError(error, 'not_found')) return false;
    throw error;
  }
}
