/** Metaranges that clients name as the content of a commit. */
import { SrvError, isSrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import type { CommittedStore } from '../tables/contract.js';
import type { Repository } from './contract.js';

/**
 * Refuses what a commit could not show: garbage collection reads the metarange of every commit, also of other repositories.
 * @param argument name of the parameter, for messages.
 * @param id `''`: no objects.
 * @throws SrvError `invalid` when it is not an id or names a table of something else, `not_found` when it does not exist.
 */
export async function requireMetarange(
  committed: Pick<CommittedStore, 'kindOf'>,
  repository: Repository,
  argument: string,
  id: string,
): Promise<void> {
  if (id === '') return;
  const kind = await committed.kindOf(namespaceOf(repository), id).catch((error: unknown) => {
    if (isSrvError(error, 'invalid')) throw new SrvError('invalid', `${argument}: ${error.message}`, { cause: error });
    if (!isSrvError(error, 'no_data')) throw error;
    throw new SrvError('not_found', `${argument}: metarange ${id} not found in repository ${repository.id}: name one of a commit there`, {
      cause: error,
    });
  });
  if (kind === 'object') return;
  const found = kind === 'range' ? 'a range' : `a table of a refs dump (${kind})`;
  throw new SrvError('invalid', `${argument}: ${id} is ${found}, not a metarange of objects: name the metarange of a commit`);
}
