/** Finds one entry of a decoded block without copying a key (format.md section 2.3). Trusts no byte of it. */
import { readVarint } from '@srv/lib-records/protobuf';
import { BlockCursor } from './block-cursor.js';
import type { VarintResult } from '@srv/lib-records/protobuf';
import type { BlockContent } from './block-cursor.js';

/** Which entry is wanted: the one of the key, or the first that is not below it. */
type Wanted = 'equal' | 'not-below';

/** One search at a time; it may be used again for any block. */
export class BlockSearch {
  /** Bytes at the end of every key that are not part of the user key. */
  readonly #trailer: number;
  readonly #number: VarintResult = { value: 0, next: 0 };
  #bytes: Buffer = Buffer.alloc(0);
  #fail: BlockContent['fail'] = () => new Error() as never;
  #target: Buffer = Buffer.alloc(0);
  #end = 0;
  /** Leading bytes that the key compared last has in common with the target. */
  #matched = 0;
  #shared = 0;
  #unshared = 0;
  #keyStart = 0;
  #valueEnd = 0;

  /** @param trailer 8 for data and index blocks. */
  constructor(trailer: number) {
    this.#trailer = trailer;
  }

  /**
   * View of the value of the wanted entry.
   * @throws the block's error when a byte on the way does not decode. In a block out of order any entry, or none, is found.
   */
  find(content: BlockContent, target: Buffer, wanted: Wanted): Buffer | undefined {
    const { bytes, fail } = content;
    if (bytes.length < 8) throw fail(0, `a block of at least 8 bytes, not ${bytes.length}`);
    const restarts = bytes.readUInt32LE(bytes.length - 4);
    if (restarts < 1 || restarts > (bytes.length - 4) / 4) throw fail(bytes.length - 4, 'a restart count that fits the block');
    this.#bytes = bytes;
    this.#fail = fail;
    this.#target = target;
    this.#end = bytes.length - 4 - 4 * restarts;
    if (this.#end === 0) return undefined;

    let order = this.#enter(this.#lastRestartUpTo(restarts));
    while (order < 0) {
      if (this.#valueEnd >= this.#end) return undefined;
      const next = this.#step();
      if (next === undefined) return withCursor(content, this.#trailer, target, wanted);
      order = next;
    }
    if (order > 0 && wanted === 'equal') return undefined;
    return bytes.subarray(this.#keyStart + this.#unshared, this.#valueEnd);
  }

  /** Offset of the last restart whose key is not above the target, or of the first. */
  #lastRestartUpTo(restarts: number): number {
    let low = 0;
    let high = restarts - 1;
    // Keys between two others begin with what both have in common with the target.
    let [matchedLow, matchedHigh] = [0, 0];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#enter(this.#restart(middle), Math.min(matchedLow, matchedHigh)) <= 0) {
        low = middle;
        matchedLow = this.#matched;
      } else {
        high = middle - 1;
        matchedHigh = this.#matched;
      }
    }
    return this.#restart(low);
  }

  #restart(index: number): number {
    const at = this.#bytes.readUInt32LE(this.#end + 4 * index);
    if (at >= this.#end) throw this.#fail(this.#end + 4 * index, `a restart below ${this.#end}, not ${at}`);
    return at;
  }

  /** Reads the entry at a restart. @returns the sign of (its key - target). @param skip leading bytes known to match. */
  #enter(at: number, skip = 0): number {
    this.#read(at);
    if (this.#shared !== 0) throw this.#fail(at, 'a restart that shares no key bytes');
    if (this.#unshared < this.#trailer) throw this.#fail(at, `a key of at least ${this.#trailer} bytes`);
    return this.#compare(0, skip);
  }

  /** Reads the next entry. @returns the sign of (its key - target); `undefined` when that takes the whole key. */
  #step(): number | undefined {
    const matched = this.#matched;
    const [before, at] = [this.#shared + this.#unshared, this.#valueEnd];
    this.#read(at);
    const length = this.#shared + this.#unshared;
    if (this.#shared > before) throw this.#fail(at, `at most ${before} shared key bytes, not ${this.#shared}`);
    if (length < this.#trailer) throw this.#fail(at, `a key of at least ${this.#trailer} bytes`);
    // It leaves the key before it, which was below the target, where that one still agreed with the target.
    if (this.#shared < matched) return 1;
    if (length - this.#trailer < matched) return undefined;
    if (this.#shared === matched) return this.#compare(matched, matched);
    // It agrees with the key before it, also in the byte that made that one smaller.
    return matched < before - this.#trailer ? -1 : undefined;
  }

  /** Compares the key, whose first `shared` bytes are the target's, from byte `skip` on. */
  #compare(shared: number, skip: number): number {
    const [bytes, target] = [this.#bytes, this.#target];
    const length = shared + this.#unshared - this.#trailer;
    const common = Math.min(length, target.length);
    const offset = this.#keyStart - shared;
    let at = Math.min(skip, common);
    while (at < common && bytes[offset + at] === target[at]) at++;
    this.#matched = at;
    return at < common ? (bytes[offset + at] ?? 0) - (target[at] ?? 0) : length - target.length;
  }

  #read(at: number): void {
    this.#shared = this.#varint(at);
    this.#unshared = this.#varint(this.#number.next);
    const size = this.#varint(this.#number.next);
    this.#keyStart = this.#number.next;
    if (this.#unshared + size > this.#end - this.#keyStart) throw this.#fail(at, 'an entry that ends inside the block');
    this.#valueEnd = this.#keyStart + this.#unshared + size;
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
}

/** The same with keys put together, for keys that extend into another's trailer. */
function withCursor(content: BlockContent, trailer: number, target: Buffer, wanted: Wanted): Buffer | undefined {
  const cursor = new BlockCursor(content, trailer);
  cursor.seek(target);
  return cursor.valid && (wanted === 'not-below' || cursor.compareKey(target) === 0) ? cursor.value : undefined;
}
