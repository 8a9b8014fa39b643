/** Prefix-compressed blocks: encoding (format.md section 2.3) and the rule that says when one is full (section 5.1). */
import { varintLength, writeVarint } from '@srv/lib-records/protobuf';

/** Bytes a block aims for. */
const targetSize = 4096;
/** Below this a block always takes another entry: 90 % of the target, rounded up. */
const thresholdSize = 3687;

export class BlockBuilder {
  readonly #restartInterval: number;
  #bytes = Buffer.allocUnsafe(2 * targetSize);
  #length = 0;
  #restarts: number[] = [];
  #count = 0;
  #lastKey: Buffer = Buffer.alloc(0);

  constructor(restartInterval: number) {
    this.#restartInterval = restartInterval;
  }

  get count(): number {
    return this.#count;
  }

  /** Last key added, as encoded. */
  get lastKey(): Buffer {
    return this.#lastKey;
  }

  /** Size when finished, uncompressed; 4 when empty. */
  get estimatedSize(): number {
    return this.#length + 4 * this.#restarts.length + 4;
  }

  /** Whether a block with entries is finished before an entry of these sizes is added. */
  isFullFor(keyLength: number, valueLength: number): boolean {
    if (this.#count === 0) return false;
    const size = this.estimatedSize;
    if (size >= targetSize) return true;
    if (size <= thresholdSize) return false;
    const restart = this.#count % this.#restartInterval === 0 ? 4 : 0;
    return size + keyLength + valueLength + restart + 4 + varintLength(keyLength) + varintLength(valueLength) > targetSize;
  }

  /**
   * Adds an entry. The key must be greater than the last one and stay unchanged until the next call.
   * @param sharable bytes of the key that may be shared with the previous one; the whole key by default.
   */
  add(key: Buffer, value: Uint8Array, sharable = key.length): void {
    let shared = 0;
    if (this.#count % this.#restartInterval === 0) this.#restarts.push(this.#length);
    else shared = commonPrefix(this.#lastKey, key, Math.min(sharable, this.#lastKey.length));
    const unshared = key.length - shared;
    this.#reserve(30 + unshared + value.length);
    let at = writeVarint(this.#bytes, this.#length, shared);
    at = writeVarint(this.#bytes, at, unshared);
    at = writeVarint(this.#bytes, at, value.length);
    key.copy(this.#bytes, at, shared);
    at += unshared;
    this.#bytes.set(value, at);
    this.#length = at + value.length;
    this.#lastKey = key;
    this.#count++;
  }

  /** The block's bytes; the builder starts over. The result is valid until the next `add`. */
  finish(): Buffer {
    const restarts = this.#restarts.length > 0 ? this.#restarts : [0];
    this.#reserve(4 * restarts.length + 4);
    let at = this.#length;
    for (const restart of restarts) at = this.#bytes.writeUInt32LE(restart, at);
    at = this.#bytes.writeUInt32LE(restarts.length, at);
    const block = this.#bytes.subarray(0, at);
    this.#length = 0;
    this.#restarts = [];
    this.#count = 0;
    return block;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

function commonPrefix(a: Buffer, b: Buffer, limit: number): number {
  let i = 0;
  while (i < limit && a[i] === b[i]) i++;
  return i;
}
