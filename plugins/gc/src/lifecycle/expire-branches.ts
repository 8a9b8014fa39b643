/** Deletes the branches whose time is over. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { xidSeconds } from '@srv/lib-records';
import { branchDecision } from './policies.js';
import type { Branch, Engine, Repository } from '@srv/engine/contract';
import type { LifecycleAction } from '../contract.js';
import type { BranchFacts, BranchPolicy } from './policies.js';
import type { StagedObservations } from './staged-observations.js';

export interface LifecycleTask {
  readonly repository: Repository;
  readonly dryRun: boolean;
  readonly user: string;
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Asked before each change. @throws SrvError when the work must stop. */
  readonly check: () => void;
  readonly report: (action: LifecycleAction) => void;
}

export interface BranchSources {
  readonly engine: Pick<Engine, 'listBranches' | 'getBranch' | 'getCommit' | 'branchLog' | 'deleteBranch'>;
  readonly observations: StagedObservations;
}

const pageAmount = 1000;

export async function expireBranches(policies: readonly BranchPolicy[], task: LifecycleTask, sources: BranchSources): Promise<void> {
  if (policies.length === 0) return;
  const { repository, dryRun, report, check } = task;
  const decide = branchDecision(policies);
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await sources.engine.listBranches(repository, { after, amount: pageAmount, showHidden: true });
    for (const branch of results) {
      check();
      const policy = await decisionOn(branch, decide, task, sources);
      if (!policy) continue;
      const facts = { branch: branch.id, rules: policy.id === undefined ? undefined : [policy.id], commitId: branch.commitId };
      const outcome = dryRun ? undefined : await remove(branch, decide, task, sources);
      report(outcome === undefined ? { kind: 'branch_deleted', ...facts } : { kind: 'skipped', ...facts, reason: outcome });
    }
    if (!hasMore) break;
    after = nextOffset;
  }
  if (!dryRun) await sources.observations.tidy(repository, branch => exists(sources.engine, repository, branch));
}

type Decide = ReturnType<typeof branchDecision>;

async function decisionOn(branch: Branch, decide: Decide, task: LifecycleTask, sources: BranchSources): Promise<BranchPolicy | undefined> {
  const { repository, now, dryRun } = task;
  // What is cheap to know comes first: nothing that is learnt later makes a branch older.
  const oldest: BranchFacts = { ...identityOf(branch, repository), writtenAt: Number.NEGATIVE_INFINITY };
  if (!decide(oldest, now)) return undefined;
  const committed = { ...oldest, writtenAt: await lastMove(branch, repository, sources.engine) };
  const policy = decide(committed, now);
  if (policy?.maxInactivity === undefined) return policy;
  const since = await sources.observations.since(repository, branch, now, !dryRun);
  return since === undefined ? policy : decide({ ...committed, writtenAt: Math.max(committed.writtenAt, since) }, now);
}

/** @returns why the branch stays; `undefined`: it is gone. */
async function remove(branch: Branch, decide: Decide, task: LifecycleTask, sources: BranchSources): Promise<string | undefined> {
  const { repository, user, check } = task;
  try {
    await sources.engine.deleteBranch(repository, branch.id, {
      user,
      // The branch may have been written to since it was judged.
      async confirm(last) {
        check();
        if (!(await decisionOn(last, decide, { ...task, dryRun: true }, sources)))
          throw new SrvError('precondition_failed', `${last.id} was changed meanwhile`);
      },
    });
    return undefined;
  } catch (error) {
    if (isSrvError(error, 'not_found')) return 'it was deleted meanwhile';
    if (isSrvError(error, 'protected', 'hook_aborted', 'precondition_failed', 'forbidden')) return messageOf(error);
    throw error;
  }
}

function identityOf(
  { id, instanceUid = '' }: Branch,
  { defaultBranch }: Repository,
): Pick<BranchFacts, 'name' | 'isDefault' | 'createdAt'> {
  const seconds = xidSeconds(instanceUid);
  return { name: id, isDefault: id === defaultBranch, createdAt: seconds === undefined ? undefined : seconds * 1000 };
}

/** The newest of creation, head commit and what else moved the branch. */
async function lastMove(branch: Branch, repository: Repository, engine: BranchSources['engine']): Promise<number> {
  const { createdAt = 0 } = identityOf(branch, repository);
  const [head, { results }] = await Promise.all([
    engine.getCommit(repository, branch.commitId),
    engine.branchLog(repository, branch.id, { amount: 1 }),
  ]);
  return Math.max(createdAt, head.creationDate.getTime(), ...results.map(({ time }) => time.getTime()));
}

async function exists(engine: BranchSources['engine'], repository: Repository, branch: string): Promise<boolean> {
  try {
    await engine.getBranch(repository, branch);
    return true;
  } catch (error) {
    if (isSrvError(error, 'not_found')) return false;
    throw error;
  }
}
