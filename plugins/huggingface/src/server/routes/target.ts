/** Where an upload goes. */
import { branchArn, may } from '@srv/lib-api';
import { HubError } from '../errors.js';
import { findBranch, findRepo } from '../revision.js';
import type { Branch, Repository } from '@srv/engine/contract';
import type { RepoContext } from '../context.js';

/** The branch of an upload. @throws HubError 404, 400; SrvError `denied`, `protected`, `read_only`. */
export async function targetOf({ engine, face, repo, rest, query }: RepoContext): Promise<{ repository: Repository; branch: Branch }> {
  const revision = rest.join('/') || 'main';
  await face.demand(may('fs:CreateCommit', branchArn(repo.repository, revision)));
  if (query.get('create_pr') === '1')
    throw new HubError(400, 'create_pr is not offered: upload to a branch of your own, and open a pull request on the web page');
  const repository = await findRepo(engine, repo);
  const branch = await findBranch(engine, repository, revision);
  if (branch.id !== revision) await face.demand(may('fs:CreateCommit', branchArn(repo.repository, branch.id)));
  await engine.checkWrite(repository, branch.id, 'x');
  return { repository, branch };
}
