/**
 * Multipart uploads, of which the service knows nothing. An upload is a marker blob next to its object,
 * `<blob>.upload-<id>`, and each part a blob of its own, `<blob>.upload-<id>-<number>`: uploads of one object do not disturb
 * each other, which uncommitted blocks of one blob would, and one listing answers everything about an upload.
 */
import { randomBytes } from 'node:crypto';
import { inParallel, isMd5, unknownUpload } from '@srv/lib-stores/block';
import { isStatus, toSrvError } from './errors.js';
import { etagOf } from './etag.js';
import { pagesOf } from './walk.js';
import { tiered, writeObject } from './write.js';
import type { Readable } from 'node:stream';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import type {
  ByteRange,
  Joining,
  KeptUpload,
  ListedPart,
  PartBackend,
  PutOptions,
  StorageClasses,
  WrittenPart,
} from '@srv/lib-stores/block';
import type { BlobAddress, BlobPlace } from './address.js';
import type { Accounts } from './client.js';
import type { Transfers } from './copy.js';

/** A part as the service knows it. */
interface StoredPart extends ListedPart {
  readonly blob: BlobAddress;
}

interface Upload extends KeptUpload<StoredPart> {
  /** Access tier of the object to be. */
  readonly tier: string | undefined;
}

interface SentPart extends WrittenPart {
  readonly blob: BlobAddress;
}

const partDigits = 5;
const deletesAtOnce = 16;

export class Uploads implements PartBackend<BlobPlace, StoredPart, Upload, SentPart> {
  readonly #client: Accounts;
  readonly #transfers: Transfers;
  readonly #classes: StorageClasses;

  constructor(accounts: Accounts, transfers: Transfers, tiers: StorageClasses) {
    this.#client = accounts;
    this.#transfers = transfers;
    this.#classes = tiers;
  }

  async begin(place: BlobPlace, { storageClass }: { readonly storageClass?: string }): Promise<string> {
    const id = randomBytes(16).toString('hex');
    const metadata = tiered(this.#classes.of(storageClass));
    await this.#client.blob(markerOf(place, id)).upload(Buffer.alloc(0), 0, { metadata });
    return id;
  }

  async check(place: BlobPlace, id: string): Promise<void> {
    if (!isUploadId(id)) throw unknownUpload(id, place.address);
    try {
      await this.#client.blob(markerOf(place, id)).getProperties();
    } catch (error) {
      throw isStatus(error, 404) ? unknownUpload(id, place.address) : error;
    }
  }

  async part(place: BlobPlace, id: string, partNumber: number, body: Readable | Buffer, options: PutOptions): Promise<SentPart> {
    const blob = partOf(place, id, partNumber);
    const { md5, lastModified } = await writeObject(this.#client.blob(blob), body, options);
    return { blob, etag: md5, lastModified };
  }

  async copyPart(source: BlobPlace, place: BlobPlace, id: string, partNumber: number, range: ByteRange | undefined): Promise<SentPart> {
    const blob = partOf(place, id, partNumber);
    const { size, etag, version } = await this.#find(source);
    const offset = Math.min(range?.start ?? 0, size);
    const length = Math.min(range ? range.end + 1 : size, size) - offset;
    const md5 = length === size && isMd5(etag) ? Buffer.from(etag, 'hex') : undefined;
    return { blob, ...(await this.#transfers.join([{ source, offset, length, version }], this.#client.blob(blob), { md5 })) };
  }

  async list(place: BlobPlace, id: string): Promise<Upload> {
    if (!isUploadId(id)) throw unknownUpload(id, place.address);
    const marker = markerOf(place, id).blob;
    const parts: StoredPart[] = [];
    let found: BlobItem | undefined;
    for await (const item of pagesOf(this.#client.container(place).listBlobsFlat({ prefix: marker, includeMetadata: true }))) {
      const { name, properties } = item;
      if (name === marker) found = item;
      const number = /^-(\d{5})$/.exec(name.slice(marker.length))?.[1];
      if (number === undefined) continue;
      const { contentLength: size = 0, lastModified } = properties;
      parts.push({ blob: { ...place, blob: name }, partNumber: Number(number), size, lastModified, etag: etagOf(properties) });
    }
    if (!found) throw unknownUpload(id, place.address);
    return { parts, tier: found.metadata?.['tier'] };
  }

  async complete(place: BlobPlace, _id: string, { upload, parts, recheck }: Joining<StoredPart, Upload>): Promise<WrittenPart> {
    const pieces = parts.map(({ blob, size }) => ({ source: blob, offset: 0, length: size }));
    return this.#transfers.join(pieces, this.#client.blob(place), { tier: upload.tier, beforeCommit: recheck });
  }

  /** The marker goes first, so that an upload without parts is never visible. */
  async abort(place: BlobPlace, id: string, { parts }: Upload): Promise<void> {
    const container: ContainerClient = this.#client.container(place);
    await container.getBlobClient(markerOf(place, id).blob).deleteIfExists();
    await inParallel(parts, deletesAtOnce, async ({ blob }) => void (await container.getBlobClient(blob.blob).deleteIfExists()));
  }

  async dropPart({ blob }: SentPart): Promise<void> {
    await this.#client.blob(blob).deleteIfExists();
  }

  /** @throws SrvError that names the source of a copy. */
  async #find(source: BlobPlace): Promise<{ size: number; etag: string; version: string | undefined }> {
    try {
      const found = await this.#client.blob(source).getProperties();
      return { size: found.contentLength ?? 0, etag: etagOf(found), version: found.etag };
    } catch (error) {
      throw toSrvError(error, source.address, this.#client.endpoint(source.account));
    }
  }
}

function markerOf(address: BlobAddress, id: string): BlobAddress {
  return { ...address, blob: `${address.blob}.upload-${id}` };
}

function partOf(address: BlobAddress, id: string, partNumber: number): BlobAddress {
  return { ...address, blob: `${markerOf(address, id).blob}-${String(partNumber).padStart(partDigits, '0')}` };
}

function isUploadId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}
