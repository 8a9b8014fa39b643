/** Derives the block store contract from the few things only the backend knows. */
import { Readable } from 'node:stream';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { formatLocation, locate, splitScheme } from './address.js';
import { digested } from './blocks.js';
import { checkedBody } from './body.js';
import { cancellable } from './cancel.js';
import { PartObjects } from './part-objects.js';
import { checkPartNumber } from './parts.js';
import { checkRange } from './range.js';
import { removeEach } from './remove-each.js';
import { withLength } from './stream-length.js';
import type {
  BlockStore,
  ByteRange,
  CompletedUpload,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PartList,
  PreSigned,
  PutOptions,
  RemovalFailure,
  StorageInfo,
  UploadedPart,
  WalkedObject,
} from './contract.js';
import type { BlockBackend, Bytes, WriteOptions } from './block-backend.js';

const pageSize = 1000;
const removalsAtOnce = 16;

/**
 * A store that passes `testBlockStore`: addresses are checked, bodies measured and hashed, ranges clamped; copies read
 * and write; parts of uploads are objects beside the others until they are joined.
 */
export function defineBlockStore(backend: BlockBackend): BlockStore {
  return new DefinedBlockStore(backend);
}

class DefinedBlockStore implements BlockStore {
  readonly type: string;
  readonly info: StorageInfo;
  readonly #backend: BlockBackend;
  readonly #scheme: string;
  readonly #parts: PartObjects;
  #closed = false;

  constructor(backend: BlockBackend) {
    const { type, scheme = type, info = {} } = backend;
    this.type = type;
    this.#backend = backend;
    this.#scheme = scheme;
    this.#parts = new PartObjects(backend, (address, body, options) => this.#write(address, body, options));
    this.info = {
      type,
      namespacePattern: `^${scheme}://`,
      namespaceExample: `${scheme}://example-bucket/`,
      defaultNamespacePrefix: '',
      preSign: false,
      preSignUi: false,
      preSignMultipart: false,
      importSupported: false,
      importPattern: `^${scheme}://`,
      productionSafe: true,
      ...info,
    };
  }

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [this.#scheme]));
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    const { lastModified } = await this.#write(this.#locate(pointer), body, options);
    return { lastModified };
  }

  async get(pointer: ObjectPointer, { range, signal }: GetOptions = {}): Promise<Readable> {
    const address = this.#locate(pointer);
    throwIfAborted(signal);
    const bytes = await this.#read(address, range);
    if (!Buffer.isBuffer(bytes)) return cancellable(Readable.from(bytes, { objectMode: false }), signal);
    return withLength(cancellable(Readable.from(chunksOf(bytes), { objectMode: false }), signal), bytes.length);
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    return (await this.#backend.properties(this.#locate(pointer))) !== undefined;
  }

  async properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    const address = this.#locate(pointer);
    return (await this.#backend.properties(address)) ?? missing(address);
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    await this.#backend.remove(this.#locate(pointer));
  }

  removeAll(pointers: readonly ObjectPointer[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<RemovalFailure[]> {
    return removeEach(pointers, pointer => this.remove(pointer), { limit: removalsAtOnce, signal });
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    const [from, to] = [this.#locate(source), this.#locate(destination)];
    const { etag, storageClass } = await this.properties(source);
    const options = { etag, ...(storageClass === undefined ? {} : { storageClass }), ...(signal ? { signal } : {}) };
    await this.#write(to, readableOf(await this.#read(from)), options);
  }

  async createMultipart(pointer: ObjectPointer): Promise<{ uploadId: string }> {
    return { uploadId: await this.#parts.create(this.#locate(pointer)) };
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    checkPartNumber(partNumber);
    return this.#parts.put(this.#locate(pointer), uploadId, partNumber, body, options);
  }

  async copyPart(source: ObjectPointer, destination: ObjectPointer, uploadId: string, partNumber: number, range?: ByteRange) {
    checkPartNumber(partNumber);
    const [from, address] = [this.#locate(source), this.#locate(destination)];
    await this.#parts.check(address, uploadId);
    return this.#parts.put(address, uploadId, partNumber, readableOf(await this.#read(from, range)), {});
  }

  listParts(pointer: ObjectPointer, uploadId: string, page: { maxParts?: number; partNumberMarker?: number } = {}): Promise<PartList> {
    return this.#parts.page(this.#locate(pointer), uploadId, page);
  }

  completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload> {
    return this.#parts.join(this.#locate(pointer), uploadId, parts);
  }

  abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    return this.#parts.end(this.#locate(pointer), uploadId);
  }

  preSign(): Promise<PreSigned> {
    return Promise.reject(this.#notSigned());
  }

  preSignPart(): Promise<PreSigned> {
    return Promise.reject(this.#notSigned());
  }

  async *walk(uri: string, { after = '', signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<readonly WalkedObject[]> {
    const parts = splitScheme(uri);
    if (parts?.scheme !== this.#scheme) throw new SrvError('invalid', `${uri}: invalid address; it must start with ${this.#scheme}://`);
    throwIfAborted(signal);
    // Without a path it names a bucket, but not those whose names begin with that name.
    const start = parts.rest.includes('/') ? uri : `${uri}/`;
    const folder = start.slice(0, start.lastIndexOf('/') + 1);
    let page: WalkedObject[] = [];
    for await (const found of this.#backend.list(start, after === '' ? '' : folder + after)) {
      throwIfAborted(signal);
      if (this.#parts.owns(found.address)) continue;
      page.push({ relativeKey: found.address.slice(folder.length), ...found });
      if (page.length < pageSize) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  openUploads(uri: string): AsyncIterable<readonly OpenUpload[]> {
    return this.#parts.open(uri);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#backend.close?.();
  }

  async #write(address: string, body: Readable | Buffer, options: WriteOptions): Promise<ObjectProperties> {
    const { chunks, digest } = digested(checkedBody(body, options), options.md5);
    let size = 0;
    let facts: ObjectProperties | undefined;
    const measured = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        size += chunk.length;
        yield chunk;
      }
    };
    const finish = (): ObjectProperties => {
      if (facts) return facts;
      const { etag = digest().toString('hex'), storageClass } = options;
      facts = { size, etag, lastModified: new Date(), ...(storageClass === undefined ? {} : { storageClass }) };
      return facts;
    };
    await this.#backend.write(address, measured(), finish);
    return finish();
  }

  async #read(address: string, range: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }): Promise<Bytes> {
    checkRange(range);
    return (await this.#backend.read(address, range.start, range.end)) ?? missing(address);
  }

  #locate(pointer: ObjectPointer): string {
    if (this.#closed) throw new SrvError('closed', 'the block store has been closed');
    if (pointer.identifier === '') throw new SrvError('invalid', `${pointer.namespace}: missing object key`);
    return this.resolve(pointer);
  }

  #notSigned(): SrvError {
    return new SrvError('unsupported', `operation not supported: ${this.type} has no pre-signed URLs; use the server`);
  }
}

const chunkBytes = 64 << 10;

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

function readableOf(bytes: Bytes): Readable | Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Readable.from(bytes, { objectMode: false });
}

function missing(address: string): never {
  throw new SrvError('no_data', `${address}: no such object`);
}
