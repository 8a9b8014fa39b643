/** From full names to refs: the first two parts of a name are repository and ref. */
import { isSrvError } from '@srv/kernel';
import { CatalogError } from '../errors.js';
import { RefRecords } from './records.js';
import type { Engine } from '@srv/engine/contract';
import type { NamespacePlace } from '../names.js';

/** @throws CatalogError 404 for a name that ends above the namespaces of a ref. */
export function namespacePlace(full: readonly string[]): NamespacePlace {
  const [repository, ref, ...namespace] = full;
  if (repository === undefined || ref === undefined || namespace.length === 0)
    throw new CatalogError(
      404,
      'NoSuchNamespaceException',
      `${full.join('.') || 'the top'} is a repository or a ref, not a namespace; add the name of a namespace`,
    );
  return { repository, ref, namespace };
}

/** @throws CatalogError 404. */
export async function openRef(engine: Engine, repository: string, ref: string): Promise<RefRecords> {
  const missing = (what: string) => (error: unknown) => {
    if (isSrvError(error, 'not_found', 'invalid', 'gone')) throw new CatalogError(404, 'NoSuchNamespaceException', what, { cause: error });
    throw error;
  };
  const found = await engine.getRepository(repository).catch(missing(`there is no repository ${repository}`));
  await engine.getCommit(found, ref).catch(missing(`repository ${repository} has no branch, tag or commit ${ref}`));
  return new RefRecords(engine, found, ref);
}
