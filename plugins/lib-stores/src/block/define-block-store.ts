/** Derives the block store contract from the few things only the backend knows. */
import { Readable } from 'node:stream';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { formatLocation, locate, splitScheme } from './address.js';
import { digested } from './blocks.js';
import { ReadyStream } from './bodies.js';
import { checkedBody } from './body.js';
import { cancellable } from './cancel.js';
import { createBlockStore } from './create-block-store.js';
import { PartObjects } from './part-objects.js';
import { PartUploads } from './part-uploads.js';
import { storageInfo } from './storage-info.js';
import { withLength } from './stream-length.js';
import type { BlockBackend, Bytes, WriteOptions } from './block-backend.js';
import type {
  BlockStore,
  ByteRange,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PutOptions,
  StorageInfo,
  WalkOptions,
  WalkedObject,
} from './contract.js';
import type { BlockDriver, BlockPlace, UploadDriver } from './driver.js';

const pageSize = 1000;

/**
 * A store that passes `testBlockStore`: addresses are checked, bodies measured and hashed, ranges clamped; copies read
 * and write; parts of uploads are objects beside the others until they are joined.
 */
export function defineBlockStore(backend: BlockBackend): BlockStore {
  return createBlockStore(new BackendDriver(backend));
}

class BackendDriver implements BlockDriver {
  readonly info: StorageInfo;
  readonly uploads: UploadDriver;
  readonly unsigned: BlockDriver['unsigned'];
  readonly removalsAtOnce = 16;
  readonly #backend: BlockBackend;
  readonly #scheme: string;
  readonly #parts: PartObjects;

  constructor(backend: BlockBackend) {
    const { type, scheme = type, info = {} } = backend;
    this.#backend = backend;
    this.#scheme = scheme;
    this.#parts = new PartObjects(backend, {
      read: (address, range) => this.#read(address, range),
      write: (address, body, options) => this.#write(address, body, options),
    });
    this.uploads = new PartUploads(this.#parts);
    this.info = storageInfo(type, { scheme, ...info });
    const message = `operation not supported: ${type} has no pre-signed URLs; use the server`;
    this.unsigned = { object: message, part: message };
  }

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [this.#scheme]));
  }

  locate(pointer: ObjectPointer): BlockPlace {
    if (pointer.identifier === '') throw new SrvError('invalid', `${pointer.namespace}: missing object key`);
    return { address: this.resolve(pointer) };
  }

  locatePrefix(uri: string): BlockPlace {
    const parts = splitScheme(uri);
    if (parts?.scheme !== this.#scheme) throw new SrvError('invalid', `${uri}: invalid address; it must start with ${this.#scheme}://`);
    return { address: uri };
  }

  async put({ address }: BlockPlace, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }> {
    const { lastModified } = await this.#write(address, body, options);
    return { lastModified };
  }

  async get({ address }: BlockPlace, { range, signal }: GetOptions): Promise<Readable> {
    const bytes = await this.#read(address, range);
    if (!Buffer.isBuffer(bytes)) return cancellable(Readable.from(bytes, { objectMode: false }), signal);
    if (bytes.length <= chunkBytes) return cancellable(new ReadyStream(bytes), signal);
    return withLength(cancellable(Readable.from(chunksOf(bytes), { objectMode: false }), signal), bytes.length);
  }

  async properties({ address }: BlockPlace): Promise<ObjectProperties> {
    return (await this.#backend.properties(address)) ?? missing(address);
  }

  async remove({ address }: BlockPlace): Promise<void> {
    await this.#backend.remove(address);
  }

  async copy(source: BlockPlace, { address }: BlockPlace, signal?: AbortSignal): Promise<void> {
    const { etag, storageClass } = await this.properties(source);
    const options = { etag, storageClass, signal };
    await this.#write(address, readableOf(await this.#read(source.address)), options);
  }

  async *walk({ address: uri }: BlockPlace, { after = '', signal }: WalkOptions): AsyncGenerator<readonly WalkedObject[]> {
    // Without a path it names a bucket, but not those whose names begin with that name.
    const start = uri.includes('/', this.#scheme.length + '://'.length) ? uri : `${uri}/`;
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

  openUploads({ address }: BlockPlace): AsyncIterable<readonly OpenUpload[]> {
    return this.#parts.open(address);
  }

  close(): Promise<void> | void {
    return this.#backend.close?.();
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
      facts = { size, etag, lastModified: new Date(), storageClass };
      return facts;
    };
    await this.#backend.write(address, measured(), finish);
    return finish();
  }

  async #read(address: string, range: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }): Promise<Bytes> {
    return (await this.#backend.read(address, range.start, range.end)) ?? missing(address);
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
