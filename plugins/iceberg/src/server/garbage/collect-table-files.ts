/**
 * Removes files of tables that nothing reaches. Before every batch, what stays is looked at again; a table of which something
 * cannot be read keeps all of its files.
 */
import { isSrvError, throwIfAborted } from '@srv/kernel';
import { namespaceOf, walkUri } from '@srv/lib-stores/block';
import { folderPrefix } from '../storage/table-files.js';
import { KeptPointers } from './pointers.js';
import { ReachedFiles } from './reached-files.js';
import type { CollectedFile, Engine, FileCollection } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';
import type { TableFiles } from '../storage/table-files.js';

interface CollectionParts {
  readonly engine: Engine;
  readonly block: BlockStore;
  readonly files: TableFiles;
}

/** Files removed while operations that refer to old content wait. */
const batchFiles = 1000;

export async function collectTableFiles(collection: FileCollection, parts: CollectionParts): Promise<void> {
  const { repository, cutoff, signal } = collection;
  const root = walkUri(parts.block, namespaceOf(repository), folderPrefix);
  // Without tables there is nothing to find out.
  if (await isEmpty(parts.block, root, signal)) return;
  const pointers = new KeptPointers(collection, parts);
  const reached = new ReachedFiles({ repository, files: parts.files, signal, report: problem => collection.report(problem) });
  const refresh = async (): Promise<void> => {
    for await (const { location, mayBeMissing } of pointers.fresh()) await reached.keepTable(location, { mayBeMissing });
  };
  await refresh();
  const isGarbage = ({ key }: CollectedFile): boolean => !reached.has(key.slice(folderPrefix.length));
  const remove = (files: readonly CollectedFile[]): Promise<void> =>
    collection.remove(files, async () => {
      await refresh();
      return files.filter(isGarbage);
    });
  let batch: CollectedFile[] = [];
  for await (const page of parts.block.walk(root, { etags: false, signal }))
    for (const { relativeKey, size, lastModified } of page) {
      const file = { key: folderPrefix + relativeKey, size };
      if (lastModified.getTime() >= cutoff.getTime() || !isGarbage(file)) continue;
      batch.push(file);
      if (batch.length < batchFiles) continue;
      throwIfAborted(signal);
      await remove(batch);
      batch = [];
    }
  await remove(batch);
}

async function isEmpty(block: BlockStore, root: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const page of block.walk(root, { etags: false, signal })) if (page.length > 0) return false;
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
  return true;
}
