/** Walks the entries of one decoded block (format.md section 2.3). Trusts no byte of it. */
import { readVarint } from '@srv/lib-records/protobuf';
import type { SrvError } from '@srv/kernel';
import type { VarintResult } from '@srv/lib-records/protobuf';

/** A block's content and how to complain about it. */
export interface BlockContent {
  readonly bytes: Buffer;
  /** An error that names file and block. `at`: offset inside the content. */
  readonly fail: (at: number, expected: string) => SrvError;
}

export class BlockCursor {
  readonly #bytes: Buffer;
  readonly #fail: BlockContent['fail'];
  /** Bytes at the end of every key that are not part of the user key. */
  readonly #trailer: number;
  readonly #restarts: number;
  readonly #end: number;
  readonly #number: VarintResult = { value: 0, next: 0 };
  #key = Buffer.allocUnsafe(128);
  #keyLength = 0;
  #valueStart = 0;
  #valueEnd = 0;
  #valid = false;

  /** @param trailer 8 for data and index blocks, 0 for properties and metaindex. */
  constructor({ bytes, fail }: BlockContent, trailer: number) {
    this.#bytes = bytes;
    this.#fail = fail;
    this.#trailer = trailer;
    if (bytes.length < 8) throw fail(0, `a block of at least 8 bytes, not ${bytes.length}`);
    this.#restarts = bytes.readUInt32LE(bytes.length - 4);
    if (this.#restarts < 1 || this.#restarts > (bytes.length - 4) / 4) throw fail(bytes.length - 4, 'a restart count that fits the block');
    this.#end = bytes.length - 4 - 4 * this.#restarts;
  }

  get valid(): boolean {
    return this.#valid;
  }

  /** Copy of the user key. */
  get key(): Buffer {
    return Buffer.from(this.#key.subarray(0, this.#keyLength - this.#trailer));
  }

  /** View into the block. */
  get value(): Buffer {
    return this.#bytes.subarray(this.#valueStart, this.#valueEnd);
  }

  /** Sign of (user key - `other`) in byte order. */
  compareKey(other: Buffer): number {
    return this.#key.compare(other, 0, other.length, 0, this.#keyLength - this.#trailer);
  }

  first(): void {
    this.#keyLength = 0;
    this.#valueEnd = 0;
    this.next();
  }

  next(): void {
    const at = this.#valueEnd;
    if (at >= this.#end) {
      this.#valid = false;
      return;
    }
    this.#read(at);
    this.#valid = true;
  }

  /** User key of the next entry; `undefined` at the last one. The cursor stays where it is. */
  peekKey(): Buffer | undefined {
    return this.#peek(() => this.key);
  }

  /** Value of the next entry, as {@link peekKey}. */
  peekValue(): Buffer | undefined {
    return this.#peek(() => this.value);
  }

  #peek(take: () => Buffer): Buffer | undefined {
    const [start, end, length] = [this.#valueStart, this.#valueEnd, this.#keyLength];
    if (!this.#valid || end >= this.#end) return undefined;
    const here = Buffer.from(this.#key.subarray(0, length));
    this.#read(end);
    const taken = take();
    here.copy(this.#key);
    this.#keyLength = length;
    this.#valueStart = start;
    this.#valueEnd = end;
    return taken;
  }

  /** Moves to the first entry whose user key is >= `target`. */
  seek(target: Buffer): void {
    let low = 0;
    let high = this.#restarts - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#compareRestart(middle, target) <= 0) low = middle;
      else high = middle - 1;
    }
    if (this.#end === 0) {
      this.#valid = false;
      return;
    }
    this.#readRestart(low);
    this.#valid = true;
    while (this.#valid && this.compareKey(target) < 0) this.next();
  }

  #readRestart(index: number): void {
    this.#keyLength = 0;
    this.#read(this.#restart(index));
  }

  /** Sign of (user key at a restart - `target`), without copying the key: there it stands whole. */
  #compareRestart(index: number, target: Buffer): number {
    const at = this.#restart(index);
    if (this.#varint(at) !== 0) throw this.#fail(at, 'a restart that shares no key bytes');
    const length = this.#varint(this.#number.next);
    this.#varint(this.#number.next);
    const start = this.#number.next;
    if (length < this.#trailer || length > this.#end - start) throw this.#fail(at, 'an entry that ends inside the block');
    return this.#bytes.compare(target, 0, target.length, start, start + length - this.#trailer);
  }

  #restart(index: number): number {
    const at = this.#bytes.readUInt32LE(this.#end + 4 * index);
    if (at >= this.#end) throw this.#fail(this.#end + 4 * index, `a restart below ${this.#end}, not ${at}`);
    return at;
  }

  #read(at: number): void {
    const shared = this.#varint(at);
    const unshared = this.#varint(this.#number.next);
    const size = this.#varint(this.#number.next);
    const start = this.#number.next;
    if (shared > this.#keyLength) throw this.#fail(at, `at most ${this.#keyLength} shared key bytes, not ${shared}`);
    if (unshared + size > this.#end - start) throw this.#fail(at, `an entry that ends inside the block`);
    const length = shared + unshared;
    if (length < this.#trailer) throw this.#fail(at, `a key of at least ${this.#trailer} bytes`);
    if (length > this.#key.length) this.#grow(length, shared);
    this.#bytes.copy(this.#key, shared, start, start + unshared);
    this.#keyLength = length;
    this.#valueStart = start + unshared;
    this.#valueEnd = this.#valueStart + size;
  }

  #varint(at: number): number {
    if (at < this.#end) {
      const byte = this.#bytes[at] ?? 0;
      if (byte < 0x80) {
        this.#number.next = at + 1;
        return byte;
      }
    }
    if (!readVarint(this.#bytes, at, this.#end, this.#number)) throw this.#fail(at, 'a varint');
    return this.#number.value;
  }

  #grow(length: number, keep: number): void {
    const grown = Buffer.allocUnsafe(Math.max(length, this.#key.length * 2));
    this.#key.copy(grown, 0, 0, keep);
    this.#key = grown;
  }
}
