/** Multipart uploads under way. */
import { createHash, randomBytes } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import type { PartList, UploadedPart } from '@srv/kernel';
import type { StoredBytes } from './body.js';

const maxPartNumber = 10_000;

interface Upload {
  readonly address: string;
  readonly parts: Map<number, StoredBytes>;
}

export class Uploads {
  readonly #uploads = new Map<string, Upload>();

  create(address: string): string {
    const id = randomBytes(16).toString('hex');
    this.#uploads.set(id, { address, parts: new Map() });
    return id;
  }

  /** @throws SrvError `not_found` unless `id` is an upload that will become `address`. */
  parts(id: string, address: string): Map<number, StoredBytes> {
    const upload = this.#uploads.get(id);
    if (upload?.address !== address)
      throw new SrvError('not_found', `upload ${id} of ${address} does not exist; it may have been completed or aborted`);
    return upload.parts;
  }

  /** Parts in ascending number, after `partNumberMarker`. @throws SrvError `not_found` */
  list(id: string, address: string, { maxParts = 1000, partNumberMarker = 0 }: { maxParts?: number; partNumberMarker?: number }): PartList {
    const after = [...this.parts(id, address)].filter(([number]) => number > partNumberMarker).sort(([a], [b]) => a - b);
    const parts = after
      .slice(0, maxParts)
      .map(([partNumber, { etag, bytes, lastModified }]) => ({ partNumber, etag, size: bytes.length, lastModified }));
    const [isTruncated, last] = [after.length > parts.length, parts.at(-1)];
    return { parts, isTruncated, ...(isTruncated && last ? { nextPartNumberMarker: last.partNumber } : {}) };
  }

  /**
   * The joined object; the upload stays until {@link remove}.
   * @throws SrvError `not_found`; `invalid` when the list is empty, names a number twice, a part never sent, or another etag.
   */
  join(id: string, address: string, listed: readonly UploadedPart[]): StoredBytes {
    const present = this.parts(id, address);
    if (listed.length === 0) throw new SrvError('invalid', `${address}: the list of parts is empty; name at least one`);
    if (new Set(listed.map(p => p.partNumber)).size < listed.length)
      throw new SrvError('invalid', `${address}: a part number is listed twice`);
    const parts = [...listed]
      .sort((a, b) => a.partNumber - b.partNumber)
      .map(({ partNumber, etag }) => {
        const part = present.get(partNumber);
        if (!part) throw new SrvError('invalid', `${address}: part ${partNumber} was never uploaded`);
        if (part.etag !== etag) throw new SrvError('invalid', `${address}: part ${partNumber} has etag ${part.etag}, not ${etag}`);
        return part;
      });
    return { bytes: Buffer.concat(parts.map(p => p.bytes)), etag: multipartEtag(parts.map(p => p.etag)), lastModified: new Date() };
  }

  remove(id: string): void {
    this.#uploads.delete(id);
  }
}

/** @throws SrvError `invalid` unless `partNumber` is a whole number from 1 to 10,000. */
export function checkPartNumber(partNumber: number): void {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > maxPartNumber) {
    throw new SrvError('invalid', `part number ${partNumber} must be a whole number from 1 to ${maxPartNumber}`);
  }
}

/** Etag of a joined object: MD5 of the parts' binary MD5s, a dash, and how many they are. */
export function multipartEtag(etags: readonly string[]): string {
  const hash = createHash('md5');
  for (const etag of etags) hash.update(Buffer.from(etag, 'hex'));
  return `${hash.digest('hex')}-${etags.length}`;
}
