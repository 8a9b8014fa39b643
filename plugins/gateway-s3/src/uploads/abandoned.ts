/** Uploads nobody goes on with: their parts take room in the block store for nothing. */
import { identifierType, isSrvError } from '@srv/kernel';
import type { Catalog } from '@srv/catalog/contract';
import type { BlockStore, ObjectPointer } from '@srv/kernel';
import type { UploadRecord } from './record.js';

export interface Stores {
  readonly catalog: Pick<Catalog, 'getRepository'>;
  readonly block: Pick<BlockStore, 'listParts' | 'abortMultipart'>;
}

/**
 * Ends an upload when nothing was added to it for `limit` milliseconds.
 * @returns whether its record can go.
 */
export async function endAbandoned({ catalog, block }: Stores, upload: UploadRecord, limit: number): Promise<boolean> {
  const { uploadId, address, createdAt, repository: id } = upload;
  const isOld = (date: Date): boolean => Date.now() - date.getTime() > limit;
  // Records of other programs do not tell where the parts are.
  if (id === '' || !isOld(createdAt)) return false;
  const namespace = await namespaceOf(catalog, id);
  if (namespace === undefined) return true;
  const pointer = { namespace, identifier: address, identifierType: identifierType.relative };
  try {
    if (!isOld(await lastPart(block, pointer, uploadId, createdAt))) return false;
    await block.abortMultipart(pointer, uploadId);
    return true;
  } catch (error) {
    // Ended in another way: what is left is the record.
    if (isSrvError(error, 'not_found')) return true;
    throw error;
  }
}

async function namespaceOf(catalog: Stores['catalog'], repository: string): Promise<string | undefined> {
  try {
    return (await catalog.getRepository(repository)).storageNamespace;
  } catch (error) {
    if (isSrvError(error, 'not_found', 'gone')) return undefined;
    throw error;
  }
}

/** When the newest part came; `begun` when there is none, or the store cannot tell. */
async function lastPart(block: Stores['block'], pointer: ObjectPointer, uploadId: string, begun: Date): Promise<Date> {
  let newest = begun;
  let partNumberMarker = 0;
  for (let more = true; more; ) {
    const page = await block.listParts(pointer, uploadId, { partNumberMarker, maxParts: 1000 }).catch((error: unknown) => {
      if (isSrvError(error, 'unsupported')) return undefined;
      throw error;
    });
    if (!page) return newest;
    for (const { lastModified } of page.parts) if (lastModified > newest) newest = lastModified;
    more = page.isTruncated && page.nextPartNumberMarker !== undefined;
    partNumberMarker = page.nextPartNumberMarker ?? 0;
  }
  return newest;
}
