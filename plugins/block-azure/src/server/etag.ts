/** Etags of blobs. */
import { bareEtag } from '@srv/lib-stores/block';
import { UnexpectedAnswer } from './errors.js';

/**
 * Hex of the content's MD5 where the service keeps it, else the service's own etag, which changes with every write.
 * @throws UnexpectedAnswer when there is neither: every blob has an etag.
 */
export function etagOf({ contentMD5, etag }: { contentMD5?: Uint8Array; etag?: string | undefined }): string {
  if (!etag && !contentMD5?.length) throw new UnexpectedAnswer('it does not describe a blob');
  return contentMD5 && contentMD5.length > 0 ? Buffer.from(contentMD5).toString('hex') : bareEtag(etag ?? '');
}
