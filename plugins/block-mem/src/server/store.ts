/** The block store contract in memory: for tests and trials; everything is lost on exit. */
import { checkPartNumber, checkRange } from '@srv/block-driver';
import { SrvError, formatLocation, locate, splitScheme, throwIfAborted } from '@srv/kernel';
import { giveOut, takeIn } from './body.js';
import { Uploads } from './uploads.js';
import type { Readable } from 'node:stream';
import type {
  BlockStore,
  ByteRange,
  CompletedUpload,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  PartList,
  PreSigned,
  PutOptions,
  StorageInfo,
  UploadedPart,
  WalkedObject,
} from '@srv/kernel';
import type { StoredBytes } from './body.js';

type StoredObject = StoredBytes & { readonly storageClass?: string };

const scheme = 'mem';
const pageSize = 1000;

export class MemoryBlockStore implements BlockStore {
  readonly type = 'mem';
  readonly info: StorageInfo = {
    type: 'mem',
    namespacePattern: '^mem://',
    namespaceExample: 'mem://example-bucket/',
    defaultNamespacePrefix: '',
    preSign: false,
    preSignUi: false,
    preSignMultipart: false,
    importSupported: false,
    importPattern: '^mem://',
    productionSafe: false,
  };
  readonly #objects = new Map<string, StoredObject>();
  readonly #uploads = new Uploads();
  #closed = false;

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [scheme]));
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    const address = this.#locate(pointer);
    const stored = await takeIn(body, options);
    this.#objects.set(address, options.storageClass === undefined ? stored : { ...stored, storageClass: options.storageClass });
    return { lastModified: stored.lastModified };
  }

  async get(pointer: ObjectPointer, { range, signal }: GetOptions = {}): Promise<Readable> {
    const { bytes } = this.#existing(pointer);
    throwIfAborted(signal);
    return giveOut(range ? slice(bytes, range) : bytes, signal);
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    return this.#objects.has(this.#locate(pointer));
  }

  async properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    const { bytes, ...facts } = this.#existing(pointer);
    return { size: bytes.length, ...facts };
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    this.#objects.delete(this.#locate(pointer));
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    const address = this.#locate(destination);
    throwIfAborted(signal);
    this.#objects.set(address, { ...this.#existing(source), lastModified: new Date() });
  }

  async createMultipart(pointer: ObjectPointer): Promise<{ uploadId: string }> {
    return { uploadId: this.#uploads.create(this.#locate(pointer)) };
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    checkPartNumber(partNumber);
    const address = this.#locate(pointer);
    this.#uploads.parts(uploadId, address);
    const part = await takeIn(body, options);
    // Asked again: the upload may have ended meanwhile.
    this.#uploads.parts(uploadId, address).set(partNumber, part);
    return { etag: part.etag };
  }

  async copyPart(
    source: ObjectPointer,
    destination: ObjectPointer,
    uploadId: string,
    partNumber: number,
    range?: ByteRange,
  ): Promise<{ etag: string; lastModified: Date }> {
    checkPartNumber(partNumber);
    const parts = this.#uploads.parts(uploadId, this.#locate(destination));
    const { bytes } = this.#existing(source);
    const part = await takeIn(range ? slice(bytes, range) : bytes, {});
    parts.set(partNumber, part);
    return { etag: part.etag, lastModified: part.lastModified };
  }

  async listParts(
    pointer: ObjectPointer,
    uploadId: string,
    options: { maxParts?: number; partNumberMarker?: number } = {},
  ): Promise<PartList> {
    return this.#uploads.list(uploadId, this.#locate(pointer), options);
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload> {
    const address = this.#locate(pointer);
    const joined = this.#uploads.join(uploadId, address, parts);
    this.#objects.set(address, joined);
    this.#uploads.remove(uploadId);
    return { etag: joined.etag, size: joined.bytes.length, lastModified: joined.lastModified };
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    this.#uploads.parts(uploadId, this.#locate(pointer));
    this.#uploads.remove(uploadId);
  }

  preSign(): Promise<PreSigned> {
    return Promise.reject(notSigned());
  }

  preSignPart(): Promise<PreSigned> {
    return Promise.reject(notSigned());
  }

  /** Every object whose address begins with `uri`; keys begin behind the last `/` of it. */
  async *walk(uri: string, { after = '', signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<readonly WalkedObject[]> {
    if (splitScheme(uri)?.scheme !== scheme) throw new SrvError('invalid', `${uri}: invalid address; it must start with ${scheme}://`);
    const folder = uri.slice(0, uri.lastIndexOf('/') + 1);
    const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const found = [...this.#objects.keys()]
      .filter(address => address.startsWith(uri) && order(address.slice(folder.length), after) > 0)
      .sort(order);
    for (let at = 0; at < found.length || at === 0; at += pageSize) {
      throwIfAborted(signal);
      yield found.slice(at, at + pageSize).flatMap(address => {
        const { bytes, etag, lastModified } = this.#objects.get(address) ?? {};
        return bytes && etag && lastModified
          ? [{ relativeKey: address.slice(folder.length), address, size: bytes.length, etag, lastModified }]
          : [];
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #locate(pointer: ObjectPointer): string {
    if (this.#closed) throw new SrvError('closed', 'the block store has been closed');
    if (pointer.identifier === '') throw new SrvError('invalid', `${pointer.namespace}: missing object key`);
    return this.resolve(pointer);
  }

  #existing(pointer: ObjectPointer): StoredObject {
    const address = this.#locate(pointer);
    const stored = this.#objects.get(address);
    if (!stored) throw new SrvError('no_data', `${address}: no such object`);
    return stored;
  }
}

function slice(bytes: Buffer, range: ByteRange): Buffer {
  checkRange(range);
  return bytes.subarray(range.start, range.end + 1);
}

function notSigned(): SrvError {
  return new SrvError('unsupported', 'operation not supported: memory has no pre-signed URLs; use the server');
}
