/** Buffers of a record batch: parts of them are read where they are not compressed, else they are unpacked as a whole. */

import { unpackZstd } from '../zstd.js';
import { ArrowError } from './error.js';
import { unpackLz4 } from './lz4.js';
import type { ByteSource } from '../byte-source.js';

/** Place in the body of a message. */
export interface BufferPlace {
  readonly offset: number;
  readonly length: number;
}

export type Compression = 'lz4' | 'zstd' | undefined;

/** Bytes of a buffer, unpacked. */
const mostUnpacked = 1024 * 1024 * 1024;
/** Bytes of unpacked buffers that are kept. */
const mostKept = 128 * 1024 * 1024;

/** Unpacked buffers of a file, the newest ones. */
export class UnpackedBuffers {
  readonly #kept = new Map<number, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  get(place: number): Uint8Array<ArrayBuffer> | undefined {
    return this.#kept.get(place);
  }

  set(place: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#kept.set(place, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= mostKept || oldest === place) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}

export class Body {
  readonly #source: ByteSource;
  readonly #start: number;
  readonly #length: number;
  readonly #compression: Compression;
  readonly #unpacked: UnpackedBuffers;

  /** @param place of the body in the file. */
  constructor(source: ByteSource, place: BufferPlace, compression: Compression, unpacked: UnpackedBuffers) {
    this.#source = source;
    this.#start = place.offset;
    this.#length = place.length;
    this.#compression = compression;
    this.#unpacked = unpacked;
  }

  /** @returns bytes of a buffer, at the beginning of their own memory or at a multiple of 8 bytes. @throws Error where it is shorter. */
  async read(buffer: BufferPlace, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    if (buffer.offset + buffer.length > this.#length) throw new ArrowError('a buffer of it lies beyond its end');
    const at = this.#start + buffer.offset;
    if (this.#compression === undefined || buffer.length === 0) {
      if (to > buffer.length) throw new ArrowError('a buffer of it is too short');
      return to <= from ? new Uint8Array() : this.#source.read(at + from, at + to);
    }
    const bytes = this.#unpacked.get(at) ?? (await this.#unpack(at, buffer.length));
    if (to > bytes.length) throw new ArrowError('a buffer of it is too short');
    return bytes.slice(from, to);
  }

  async #unpack(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const packed = await this.#source.read(at, at + length);
    if (packed.length < 8) throw new ArrowError('a buffer of it is too short');
    // Before what is compressed stands its length, or -1 where it is stored as it is.
    const unpackedLength = Number(new DataView(packed.buffer, packed.byteOffset).getBigInt64(0, true));
    const content = packed.subarray(8);
    const bytes = unpackedLength === -1 ? content : this.#unpackedContent(content, unpackedLength);
    this.#unpacked.set(at, bytes);
    return bytes;
  }

  #unpackedContent(content: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
    if (length < 0 || length > mostUnpacked) throw new ArrowError(`a buffer of it has more than ${mostUnpacked >> 20} MiB`);
    try {
      const bytes = this.#compression === 'zstd' ? unpackZstd(content, length) : unpackLz4(content, length);
      if (bytes.length === length) return new Uint8Array(bytes);
    } catch (error) {
      throw new ArrowError('a compressed buffer of it is damaged', { cause: error });
    }
    throw new ArrowError('a compressed buffer of it is damaged');
  }
}
