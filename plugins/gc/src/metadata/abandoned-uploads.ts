/** Abandoned multipart uploads without a record, such as those begun by pre-signed URLs. */
import { isSrvError, throwIfAborted } from '@srv/kernel';
import { identifierType, namespaceOf, walkUri } from '@srv/lib-stores/block';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { BlockStore, ObjectPointer, OpenUpload } from '@srv/lib-stores/block';

/** Records of uploads that the server keeps and ends itself. */
const uploadsPartition = 'multiparts';

interface AbandonedRequest {
  readonly repository: Repository;
  /** Milliseconds since 1970: uploads begun, or added to, later stay. */
  readonly before: number;
  readonly signal: AbortSignal;
  /** Asked before each upload is ended. @throws SrvError when the run must stop. */
  readonly permit: () => void;
}

/** Ends them. @returns how many. */
export async function endAbandonedUploads(
  { repository, before, signal, permit }: AbandonedRequest,
  { block, kv }: { readonly block: BlockStore; readonly kv: KvStore },
): Promise<number> {
  let ended = 0;
  for await (const page of block.openUploads?.(walkUri(block, namespaceOf(repository), 'data/'), { signal }) ?? [])
    for (const upload of page) {
      throwIfAborted(signal);
      if (upload.startedAt.getTime() >= before) continue;
      if (await kv.get(uploadsPartition, Buffer.from(upload.uploadId))) continue;
      const pointer = { namespace: namespaceOf(repository), identifier: upload.address, identifierType: identifierType.full };
      if (await hasPartSince(pointer, upload, before, block)) continue;
      permit();
      try {
        await block.abortMultipart(pointer, upload.uploadId);
        ended++;
      } catch (error) {
        // It has ended meanwhile.
        if (!isSrvError(error, 'not_found')) throw error;
      }
    }
  return ended;
}

async function hasPartSince(pointer: ObjectPointer, { uploadId }: OpenUpload, before: number, block: BlockStore): Promise<boolean> {
  for (let partNumberMarker = 0; ; ) {
    const page = await block.listParts(pointer, uploadId, { partNumberMarker, maxParts: 1000 }).catch((error: unknown) => {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    });
    if (!page) return false;
    if (page.parts.some(part => part.lastModified.getTime() >= before)) return true;
    if (!page.isTruncated || page.nextPartNumberMarker === undefined) return false;
    partNumberMarker = page.nextPartNumberMarker;
  }
}
