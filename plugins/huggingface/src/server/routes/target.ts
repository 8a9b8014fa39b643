/** Where an upload goes. */
import { branchArn, may } from '@srv/lib-api';
import { branchNameOf, demandProposal, isProposal } from '../proposals.js';
import { findBranch, findRepo } from '../revision.js';
import type { Branch, Repository } from '@srv/engine/contract';
import type { RepoContext } from '../context.js';

export interface Target {
  readonly repository: Repository;
  /** Of a pull request: the one that it is to be merged into. */
  readonly branch: Branch;
}

/** @throws HubError 404, 400; SrvError `denied`, `protected`, `read_only`. */
export async function targetOf(context: RepoContext): Promise<Target> {
  const { engine, face, repo, rest } = context;
  const name = branchNameOf(rest.join('/') || 'main');
  const isDirect = !isProposal(context);
  const demand = (branch: string): Promise<void> => face.demand(may('fs:CreateCommit', branchArn(repo.repository, branch)));
  await (isDirect ? demand(name) : demandProposal(context));
  const repository = await findRepo(engine, repo);
  const branch = await findBranch(engine, repository, name);
  if (!isDirect) return { repository, branch };
  if (branch.id !== name) await demand(branch.id);
  await engine.checkWrite(repository, branch.id, 'x');
  return { repository, branch };
}
