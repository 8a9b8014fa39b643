/** Abandoned uploads, whose parts waste space in the block store. */
import { isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { isInRepository } from './identity.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { UploadRecord } from './record.js';

interface Stores {
  readonly engine: Pick<Engine, 'getRepository'>;
  readonly block: Pick<BlockStore, 'listParts' | 'abortMultipart' | 'remove'>;
}

/**
 * Ends an upload when nothing was added to it for `limit` milliseconds.
 * @param claim makes the upload the caller's to abort; `undefined` when another request ended it.
 * @returns whether its record can go.
 */
export async function endAbandoned(
  { engine, block }: Stores,
  upload: UploadRecord,
  { limit, claim }: { readonly limit: number; claim(): Promise<UploadRecord | undefined> },
): Promise<boolean> {
  const { uploadId, address, createdAt, repository: id } = upload;
  const isOld = (date: Date): boolean => Date.now() - date.getTime() > limit;
  // Records of other programs do not say where the parts are.
  if (id === '' || !isOld(createdAt)) return false;
  const repository = await repositoryOf(engine, id);
  if (!repository || !isInRepository(upload, repository)) return true;
  const namespace = namespaceOf(repository);
  const pointer = { namespace, identifier: address, identifierType: identifierType.relative };
  if (!isOld(await lastPart(block, pointer, uploadId, createdAt))) return false;
  const claimed = await claim();
  if (!claimed) return false;
  await endParts(block, pointer, claimed);
  return true;
}

/** Removes the parts of an upload that was claimed to be aborted, and what an attempt to complete it may have made of them. */
export async function endParts(
  block: Pick<BlockStore, 'abortMultipart' | 'remove'>,
  pointer: ObjectPointer,
  { uploadId, ending }: UploadRecord,
): Promise<void> {
  try {
    await block.abortMultipart(pointer, uploadId);
  } catch (error) {
    // Ended in another way: what is left is the record.
    if (!isSrvError(error, 'not_found')) throw error;
  }
  if (ending && ending.list !== '' && !ending.maybeStaged) await block.remove(pointer);
}

async function repositoryOf(engine: Stores['engine'], repository: string): Promise<Repository | undefined> {
  try {
    return await engine.getRepository(repository);
  } catch (error) {
    if (isSrvError(error, 'not_found', 'gone')) return undefined;
    throw error;
  }
}

/** When the newest part was stored; `begun` without parts, or if the store does not know. */
async function lastPart(block: Stores['block'], pointer: ObjectPointer, uploadId: string, begun: Date): Promise<Date> {
  let newest = begun;
  let partNumberMarker = 0;
  for (let more = true; more; ) {
    const page = await block.listParts(pointer, uploadId, { partNumberMarker, maxParts: 1000 }).catch((error: unknown) => {
      // Parts that are gone are as old as can be; what is left is the record.
      if (isSrvError(error, 'unsupported', 'not_found')) return undefined;
      throw error;
    });
    if (!page) return newest;
    for (const { lastModified } of page.parts) if (lastModified > newest) newest = lastModified;
    more = page.isTruncated && page.nextPartNumberMarker !== undefined;
    partNumberMarker = page.nextPartNumberMarker ?? 0;
  }
  return newest;
}
