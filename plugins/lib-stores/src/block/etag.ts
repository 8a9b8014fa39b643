/** Etags as they cross the contract: without quotes. */
import { createHash } from 'node:crypto';

/** An etag of an HTTP header without quotes, spaces and the mark of weakness. */
export function bareEtag(etag: string): string {
  return etag.trim().replace(/^W\//, '').replace(/^"|"$/g, '');
}

/** Etag of a joined object: MD5 of the parts' binary MD5s, a dash, and how many they are. */
export function multipartEtag(etags: readonly string[]): string {
  const hash = createHash('md5');
  for (const etag of etags) hash.update(Buffer.from(etag, 'hex'));
  return `${hash.digest('hex')}-${etags.length}`;
}

/** Whether an etag is an MD5. */
export function isMd5(etag: string): boolean {
  return /^[0-9a-f]{32}$/.test(etag);
}
