/** The branch that a ref names. */
import { isSrvError } from '@srv/kernel';
import type { Branch, Engine, RepositoryName } from '@srv/engine/contract';

/** @returns `undefined` for a tag, a commit or an expression. */
export async function findBranch(repository: RepositoryName, ref: string, engine: Pick<Engine, 'getBranch'>): Promise<Branch | undefined> {
  try {
    return await engine.getBranch(repository, ref);
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return undefined;
    throw error;
  }
}
