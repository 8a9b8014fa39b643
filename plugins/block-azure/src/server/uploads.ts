/**
 * Multipart uploads, of which the service knows nothing. An upload is a marker blob next to its object,
 * `<blob>.upload-<id>`, and each part a blob of its own, `<blob>.upload-<id>-<number>`: uploads of one object do not disturb
 * each other, which uncommitted blocks of one blob would, and one listing answers everything about an upload.
 */
import { randomBytes } from 'node:crypto';
import { bareEtag, inParallel, matchPart, orderParts, unknownUpload } from '@srv/lib-stores/block';
import { etagOf } from './etag.js';
import { isStatus } from './errors.js';
import { tiered } from './write-blob.js';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import type { ListedPart, UploadedPart } from '@srv/lib-stores/block';
import type { Accounts } from './accounts.js';
import type { BlobAddress } from './blob-address.js';

/** A part as the service knows it. */
interface StoredPart extends ListedPart {
  readonly blob: BlobAddress;
}

interface Upload {
  readonly parts: readonly StoredPart[];
  /** Access tier of the object to be. */
  readonly tier: string | undefined;
}

const partDigits = 5;
const deletesAtOnce = 16;

export class Uploads {
  readonly #accounts: Accounts;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  async create(address: BlobAddress, tier: string | undefined): Promise<string> {
    const id = randomBytes(16).toString('hex');
    await this.#accounts.blob(markerOf(address, id)).upload(Buffer.alloc(0), 0, { metadata: tiered(tier) });
    return id;
  }

  /** @throws SrvError `not_found` for an upload that was never begun, was completed or aborted. */
  async check(address: BlobAddress, id: string, uri: string): Promise<void> {
    if (!isUploadId(id)) throw unknownUpload(id, uri);
    try {
      await this.#accounts.blob(markerOf(address, id)).getProperties();
    } catch (error) {
      throw isStatus(error, 404) ? unknownUpload(id, uri) : error;
    }
  }

  part(address: BlobAddress, id: string, partNumber: number): BlobAddress {
    return { ...address, blob: `${markerOf(address, id).blob}-${String(partNumber).padStart(partDigits, '0')}` };
  }

  /** @throws SrvError `not_found` as {@link check}. */
  async find(address: BlobAddress, id: string, uri: string): Promise<Upload> {
    if (!isUploadId(id)) throw unknownUpload(id, uri);
    const marker = markerOf(address, id).blob;
    const parts: StoredPart[] = [];
    let found: BlobItem | undefined;
    for await (const item of this.#accounts.container(address).listBlobsFlat({ prefix: marker, includeMetadata: true })) {
      if (item.name === marker) found = item;
      const number = /^-(\d{5})$/.exec(item.name.slice(marker.length))?.[1];
      if (number !== undefined) parts.push(partOf({ ...address, blob: item.name }, Number(number), item));
    }
    if (!found) throw unknownUpload(id, uri);
    return { parts, tier: found.metadata?.['tier'] };
  }

  /** The listed parts in order. @throws SrvError `invalid` when the list does not agree with what was sent. */
  match({ parts }: Upload, uri: string, listed: readonly UploadedPart[]): StoredPart[] {
    const byNumber = new Map(parts.map(part => [part.partNumber, part]));
    return orderParts(uri, listed).map(part => matchPart(uri, { ...part, etag: bareEtag(part.etag) }, byNumber.get(part.partNumber)));
  }

  /** The marker goes first, so that an upload without parts is never visible. */
  async remove(address: BlobAddress, id: string, { parts }: Upload): Promise<void> {
    const container: ContainerClient = this.#accounts.container(address);
    await container.getBlobClient(markerOf(address, id).blob).deleteIfExists();
    await inParallel(parts, deletesAtOnce, async ({ blob }) => void (await container.getBlobClient(blob.blob).deleteIfExists()));
  }
}

function markerOf(address: BlobAddress, id: string): BlobAddress {
  return { ...address, blob: `${address.blob}.upload-${id}` };
}

function isUploadId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}

function partOf(blob: BlobAddress, partNumber: number, { properties }: BlobItem): StoredPart {
  return {
    blob,
    partNumber,
    size: properties.contentLength ?? 0,
    lastModified: properties.lastModified,
    etag: etagOf(properties),
  };
}
