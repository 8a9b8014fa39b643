/** Multipart uploads under way. */
import { randomBytes } from 'node:crypto';
import { matchPart, multipartEtag, orderParts, pageOfParts, unknownUpload } from '@srv/block-driver';
import type { PartPage } from '@srv/block-driver';
import type { PartList, UploadedPart } from '@srv/kernel';
import type { StoredBytes } from './body.js';

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
    if (upload?.address !== address) throw unknownUpload(id, address);
    return upload.parts;
  }

  /** A page of the parts in ascending number. @throws SrvError `not_found` */
  list(id: string, address: string, page: PartPage): PartList {
    const parts = [...this.parts(id, address)].map(([partNumber, { etag, bytes, lastModified }]) => ({
      partNumber,
      etag,
      size: bytes.length,
      lastModified,
    }));
    return pageOfParts(parts, page);
  }

  /**
   * The joined object; the upload stays until {@link remove}.
   * @throws SrvError `not_found`; `invalid` when the list is empty, names a number twice, a part never sent, or another etag.
   */
  join(id: string, address: string, listed: readonly UploadedPart[]): StoredBytes {
    const present = this.parts(id, address);
    const parts = orderParts(address, listed).map(part => matchPart(address, part, present.get(part.partNumber)));
    return { bytes: Buffer.concat(parts.map(p => p.bytes)), etag: multipartEtag(parts.map(p => p.etag)), lastModified: new Date() };
  }

  remove(id: string): void {
    this.#uploads.delete(id);
  }
}
