/** What a client announced about a file, compared with what arrived. */
import { createHash } from 'node:crypto';
import { HubError } from '../errors.js';

export interface AnnouncedFile {
  /** SHA-256 in hex. */
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

export interface ReadContent {
  readonly sha256: string;
  /** In hex. */
  readonly md5: string;
  /** Bytes. */
  readonly size: number;
}

/** Reads a content to its end. */
export async function readContent(body: AsyncIterable<unknown>): Promise<ReadContent> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    sha256.update(piece);
    md5.update(piece);
  }
  return { sha256: sha256.digest('hex'), md5: md5.digest('hex'), size };
}

export function isAnnounced({ oid, size }: AnnouncedFile, stored: Pick<ReadContent, 'sha256' | 'size'>): boolean {
  return stored.sha256 === oid && stored.size === size;
}

export function otherContent({ oid, size }: AnnouncedFile, stored: Pick<ReadContent, 'sha256' | 'size'>): HubError {
  return new HubError(400, `the file has the SHA-256 ${stored.sha256} and ${stored.size} bytes, ${oid} and ${size} were announced`);
}
