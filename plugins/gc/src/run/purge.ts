/** Removes everything a deleted repository, or one that has moved, has left in its namespace. */
import { SrvError, isSrvError } from '@srv/kernel';
import { fitsStorePattern, identifierType, namespaceOf, storageRoot, storageRoots, storeOf, walkUri } from '@srv/lib-stores/block';
import { refuseOverlap } from '../mark/overlap.js';
import { refuseReferenced } from './refuse-referenced.js';
import type { Repository } from '@srv/engine/contract';
import type { MarkContext } from '../mark/context.js';

/** Marks that the creation of a repository leaves. */
const marks = ['_srv/dummy', '_lakefs/dummy'];

/**
 * @throws SrvError `conflict` when a repository, be it in deletion, lies in the namespace, around or below it, or another one refers to its
 * objects, or is about to; `invalid` when nothing shows that a repository was ever there.
 */
export async function purgeNamespace(
  place: Pick<Repository, 'storageNamespace' | 'storageId'>,
  sources: Omit<MarkContext, 'sorter'>,
): Promise<number> {
  const { block, engine, hooks } = sources;
  const since = new Date();
  const namespace = namespaceOf(place);
  const { storageNamespace } = place;
  const { namespacePattern } = storeOf(block, namespace).info;
  if (!fitsStorePattern(namespacePattern, storageNamespace))
    throw new SrvError('invalid', `storage namespace ${JSON.stringify(storageNamespace)}: it must match ${namespacePattern}`);
  const nobody: Repository = {
    id: '',
    instanceUid: '',
    defaultBranch: '',
    creationDate: new Date(0),
    state: 'in_deletion',
    readOnly: false,
    ...place,
  };
  const refuseTaken = async (): Promise<void> => {
    await hooks.guardPurge.promise({ roots: storageRoots(block, namespace), since });
    for (const taken of [engine.repositories(''), engine.movingRepositories()]) await refuseOverlap(block, nobody, taken);
  };
  await refuseTaken();
  const pointers = marks.map(identifier => ({ namespace, identifier, identifierType: identifierType.relative }));
  const found = await Promise.all(pointers.map(pointer => block.exists(pointer)));
  if (!found.includes(true))
    throw new SrvError('invalid', `no repository was ever in ${storageNamespace}: there is neither ${marks.join(' nor ')}`);
  await refuseReferenced(nobody, sources);
  const root = storageRoot(block, namespace);
  let removed = 0;
  try {
    for await (const page of block.walk(walkUri(block, namespace, ''), { etags: false })) {
      // A repository may have been created meanwhile, or move there, or import from there.
      await refuseTaken();
      const keys = page.map(({ address }) => address.slice(root.length)).filter(key => !marks.includes(key));
      const [failure] = await block.removeAll(keys.map(identifier => ({ namespace, identifier, identifierType: identifierType.relative })));
      if (failure) throw failure.error;
      removed += keys.length;
    }
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
  // The marks go last: until then a purge that broke off can be repeated.
  for (const [i, pointer] of pointers.entries())
    if (found[i]) {
      await block.remove(pointer);
      removed++;
    }
  return removed;
}
