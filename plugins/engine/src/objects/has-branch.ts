/** Whether a branch is there: a repository without its default branch is bare. */
import { isSrvError } from '@srv/kernel';
import type { Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';

export async function hasBranch(refs: Refs, repository: Repository, branch: string): Promise<boolean> {
  try {
    await refs.getBranch(repository, branch);
    return true;
  } catch (error) {
    if (isSrvError(error, 'not_found')) return false;
    throw error;
  }
}
