/** Etags of blobs. */
import { bareEtag } from '@srv/lib-stores/block';

/** Hex of the content's MD5 where the service keeps it, else the service's own etag, which changes with every write. */
export function etagOf({ contentMD5, etag }: { contentMD5?: Uint8Array; etag?: string | undefined }): string {
  return contentMD5 && contentMD5.length > 0 ? Buffer.from(contentMD5).toString('hex') : bareEtag(etag ?? '');
}
