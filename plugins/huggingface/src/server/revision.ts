/** Revisions: a branch is its head commit, since answers name a commit and clients cache by it. */
import { isSrvError } from '@srv/kernel';
import { HubError, repoNotFound, revisionNotFound } from './errors.js';
import { branchNameOf } from './proposals.js';
import type { Commit, Engine, Repository } from '@srv/engine/contract';
import type { HubRepo } from './address.js';

/** Clients take 40 hexadecimal digits for a commit. */
export const aliasOf = (commitId: string): string => commitId.slice(0, 40);

/** @throws HubError 404. */
export async function findRepo(engine: Engine, { repository, id }: HubRepo): Promise<Repository> {
  try {
    return await engine.getRepository(repository);
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid', 'gone')) throw repoNotFound(id, error);
    throw error;
  }
}

/** `main` is the default branch where no branch has that name. @throws HubError 404. */
export async function findRevision(engine: Engine, repository: Repository, revision: string): Promise<Commit> {
  return (await findNamedRevision(engine, repository, revision)).commit;
}

/** As {@link findRevision}, with the name that it has here. */
export async function findNamedRevision(
  engine: Engine,
  repository: Repository,
  revision: string,
): Promise<{ readonly name: string; readonly commit: Commit }> {
  const name = branchNameOf(revision);
  const missing = await attempt(() => engine.getCommit(repository, name));
  if ('found' in missing) return { name, commit: missing.found };
  if (revision !== 'main' || repository.defaultBranch === 'main') throw revisionNotFound(revision, missing.error);
  return { name: repository.defaultBranch, commit: await engine.getCommit(repository, repository.defaultBranch) };
}

/** The branch that a commit is made on. @throws HubError 404, 400 for what is not a branch. */
export async function findBranch(engine: Engine, repository: Repository, revision: string) {
  const own = await attempt(() => engine.getBranch(repository, revision));
  if ('found' in own) return own.found;
  if (revision !== 'main' || repository.defaultBranch === 'main') {
    const other = await attempt(() => engine.getCommit(repository, revision));
    if ('found' in other) throw new HubError(400, `${revision} is not a branch: a commit is made on a branch, and not on tags or commits`);
    throw revisionNotFound(revision, own.error);
  }
  return engine.getBranch(repository, repository.defaultBranch);
}

async function attempt<T>(work: () => Promise<T>): Promise<{ readonly found: T } | { readonly error: unknown }> {
  try {
    return { found: await work() };
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return { error };
    throw error;
  }
}
