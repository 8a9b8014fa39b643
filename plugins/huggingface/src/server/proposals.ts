/** Pull requests of clients (`create_pr`): a branch each, whose name is the number that clients know it by. */
import { isSrvError } from '@srv/kernel';
import { branchArn, may, repositoryArn } from '@srv/lib-api';
import { callOperation } from '@srv/lib-api/http';
import type { Branch, Repository } from '@srv/engine/contract';
import type { RepoContext } from './context.js';

const prefix = 'hf-pr-';
const mostTries = 20;

/** The branch of a revision: clients call a pull request `refs/pr/<number>`. */
export function branchNameOf(revision: string): string {
  const number = /^refs\/pr\/(\d{1,15})$/.exec(revision)?.[1];
  return number === undefined ? revision : `${prefix}${number}`;
}

/** The number of the pull request that a branch belongs to. */
export function proposalOf(branch: string): string | undefined {
  return branch.startsWith(prefix) && /^\d{1,15}$/.test(branch.slice(prefix.length)) ? branch.slice(prefix.length) : undefined;
}

export const isProposal = ({ query }: Pick<RepoContext, 'query'>): boolean => query.get('create_pr') === '1';

/** Asked before files are sent, of which a refused commit would leave some. @throws SrvError `denied`. */
export async function demandProposal({ face, repo }: RepoContext): Promise<void> {
  await face.demand(may('pr:WritePullRequest', repositoryArn(repo.repository)));
  const branch = branchArn(repo.repository, `${prefix}0`);
  for (const action of ['fs:CreateBranch', 'fs:CreateCommit']) await face.demand(may(action, branch));
}

const operations = (context: RepoContext) => ({ ...context, describe: (error: unknown) => context.http.describe(error) });

/** @returns the new branch, and its number, which is the time: it is never used again. */
export async function startProposal(
  context: RepoContext,
  repository: Repository,
  from: Branch,
): Promise<{ branch: Branch; number: number }> {
  const now = Math.floor(Date.now() / 1000);
  for (let tries = 0; ; tries++) {
    const number = now + tries;
    const name = `${prefix}${number}`;
    try {
      const body = { name, source: from.commitId, force: false, hidden: false };
      await callOperation(operations(context), 'createBranch', { repository: repository.id, body });
    } catch (error) {
      if (!isSrvError(error, 'not_unique') || tries === mostTries) throw error;
      continue;
    }
    return { branch: await context.engine.getBranch(repository, name), number };
  }
}

/** @param message of the commit: its first line becomes the title. */
export async function openProposal(
  context: RepoContext,
  repository: Repository,
  into: Branch,
  { branch, message }: NewProposal,
): Promise<void> {
  const [title = '', ...rest] = message.split('\n');
  const body = { title, description: rest.join('\n').trim(), source_branch: branch.id, destination_branch: into.id };
  await callOperation(operations(context), 'createPullRequest', { repository: repository.id, body });
}

interface NewProposal {
  readonly branch: Branch;
  readonly message: string;
}
