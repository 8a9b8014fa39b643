/** Identity encoding: the byte form that commit ids, entry identities and table ids are hashed from (format.md section 7). */

import { createHash } from 'node:crypto';
import { sortedEntries } from '@srv/lib-records/protobuf';
import type { Hash } from 'node:crypto';

const tag = { bytes: 0, string: 1, int64: 2, strings: 3, map: 4, nested: 5 } as const;

/** Feeds typed values into one SHA-256. */
export class IdentityHash {
  readonly #hash: Hash;

  /** @param hash continues a hash that has seen other bytes already. */
  constructor(hash: Hash = createHash('sha256')) {
    this.#hash = hash;
  }

  bytes(value: Uint8Array): this {
    return this.#sized(tag.bytes, value.length).#raw(value);
  }

  string(value: string): this {
    const bytes = Buffer.from(value, 'utf8');
    return this.#sized(tag.string, bytes.length).#raw(bytes);
  }

  /** Whole number from -2^53 to 2^53. */
  int64(value: number): this {
    const bytes = Buffer.alloc(10);
    bytes[0] = tag.int64;
    bytes[1] = 8;
    bytes.writeBigInt64BE(BigInt(value), 2);
    return this.#raw(bytes);
  }

  strings(values: readonly string[]): this {
    this.#sized(tag.strings, values.length);
    for (const value of values) this.string(value);
    return this;
  }

  map(values: Readonly<Record<string, string>>): this {
    const entries = sortedEntries(values);
    this.#sized(tag.map, entries.length);
    for (const [key, value] of entries) this.string(key).string(value);
    return this;
  }

  /** The identity of a nested value. */
  nested(identity: Uint8Array): this {
    return this.#raw(Buffer.of(tag.nested)).bytes(identity);
  }

  /** 32 bytes. */
  digest(): Buffer {
    return this.#hash.digest();
  }

  #sized(kind: number, length: number): this {
    return this.#raw(Buffer.of(kind)).int64(length);
  }

  #raw(bytes: Uint8Array): this {
    this.#hash.update(bytes);
    return this;
  }
}
