/** Checks of pull requests: the hooks of `pre-merge`, which a merge asks, and which can be asked before it. */

import { SrvError, isSrvError } from '@srv/kernel';
import type { ActionRun, ActionRuns } from '@srv/actions/contract';
import type { Engine, Repository } from '@srv/engine/contract';
import type { Check, CheckState, PullRequest, PullRequestChecks } from '../contract.js';

/** Runs that are looked at for the newest result of each hook. */
const mostRuns = 20;
/** Hooks of a run. */
const mostHooks = 1000;

interface CheckParts {
  readonly engine: Pick<Engine, 'getRepository' | 'getBranch' | 'getCommit' | 'draftMerge'>;
  /** Absent: nothing runs hooks. */
  readonly actions: () => ActionRuns | undefined;
  /** @throws SrvError `not_found`. */
  readonly pull: (repository: Repository, id: string) => Promise<PullRequest>;
}

export function createChecks({ engine, actions: find, pull: findPull }: CheckParts): PullRequestChecks {
  /** What is or was merged; empty where the branch is gone. */
  async function headOf(repository: Repository, { source, commitId }: PullRequest): Promise<string> {
    try {
      if (commitId === undefined) return (await engine.getBranch(repository, source)).commitId;
      return (await engine.getCommit(repository, commitId)).parents[1] ?? '';
    } catch (error) {
      if (isSrvError(error, 'not_found')) return '';
      throw error;
    }
  }

  return {
    async state(repositoryId, id): Promise<CheckState> {
      const repository = await engine.getRepository(repositoryId);
      const pull = await findPull(repository, id);
      const commitId = await headOf(repository, pull);
      const actions = find();
      const runs = actions && commitId !== '' ? await actions.ofMerge(repository.id, commitId, pull.destination) : [];
      const checks = actions ? await newestOf(runs, actions, repository.id) : [];
      return { commitId, status: statusOf(checks, runs), checks };
    },
    async run(repositoryId, id, { username, committer }) {
      const repository = await engine.getRepository(repositoryId);
      const { status, source, destination } = await findPull(repository, id);
      if (status !== 'open') throw new SrvError('invalid', `pull request ${id} is ${status}: bad pull request status`);
      const nothing = (): SrvError =>
        new SrvError(
          'invalid',
          `no hook checks merges of ${source} into ${destination}: action files of ${source} name them under pre-merge`,
        );
      const actions = find();
      if (!actions) throw nothing();
      const commit = await engine.draftMerge(repository, source, destination, { committer, user: username });
      const [, merged = ''] = commit.parents;
      const event = { branch: destination, sourceRef: merged, commit, commitId: commit.id, mergeSource: source, user: username };
      const runId = await actions.rehearse(repository.id, { type: 'pre-merge', ...event });
      if (runId === undefined) throw nothing();
      return runId;
    },
  };
}

/** The newest result of each hook. @param runs newest first. */
async function newestOf(runs: readonly ActionRun[], actions: ActionRuns, repository: string): Promise<readonly Check[]> {
  const found = new Map<string, Check>();
  for (const { runId } of runs.slice(0, mostRuns)) {
    const { results } = await actions.hooks(repository, runId, { amount: mostHooks });
    for (const hook of results) {
      const name = `${hook.action}/${hook.hookId}`;
      if (!found.has(name)) found.set(name, { runId, ...hook });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, check]) => check);
}

/** A run whose hooks have ended is in progress until its records are stored. */
function statusOf(checks: readonly Check[], runs: readonly ActionRun[]): CheckState['status'] {
  if (checks.length === 0) return 'none';
  if (runs.some(({ status }) => status === 'running')) return 'running';
  return checks.some(({ status }) => status === 'failed') ? 'failed' : 'passed';
}
