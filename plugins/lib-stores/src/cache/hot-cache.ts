/**
 * Keeps what is read again and again. Where more is read than fits, each of what is read once would only push out something
 * else; so a value is kept when it is read for a second time, not long after the first. A lookup reads
 * one map or two: instead of an order of use there are two generations, of which the older one goes when the younger one has its
 * share of the space.
 */

export interface HotCacheOptions {
  /** Sum of the sizes of what is kept. */
  readonly maxBytes: number;
  /** Names that were read once and are remembered, about; a power of two. */
  readonly reads: number;
}

interface Sized<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class HotCache<Value> {
  readonly #maxBytes: number;
  /** Hashes of names that {@link admits} was asked for, each in the one place where it may be. */
  readonly #asked: Int32Array;
  #young = new Map<string, Sized<Value>>();
  #old = new Map<string, Sized<Value>>();
  #youngBytes = 0;

  constructor({ maxBytes, reads }: HotCacheOptions) {
    this.#maxBytes = maxBytes;
    this.#asked = new Int32Array(reads);
  }

  /** What is in use stays: it moves to the younger generation. */
  get(name: string): Value | undefined {
    const young = this.#young.get(name);
    if (young) return young.value;
    const old = this.#old.get(name);
    if (!old) return undefined;
    this.#old.delete(name);
    this.#add(name, old);
    return old.value;
  }

  /** After a read that did not find it here: whether it is to be kept, since it was asked for before, not long ago. It is from now on. */
  admits(name: string): boolean {
    const hash = hashOf(name);
    const place = (hash ^ (hash >>> 16)) & (this.#asked.length - 1);
    if (this.#asked[place] === hash) return true;
    this.#asked[place] = hash;
    return false;
  }

  /** @param bytes its size, with what keeping it costs; more than half of the space are not kept. */
  set(name: string, value: Value, bytes: number): void {
    this.delete(name);
    if (2 * bytes <= this.#maxBytes) this.#add(name, { value, bytes });
  }

  delete(name: string): void {
    this.#youngBytes -= this.#young.get(name)?.bytes ?? 0;
    this.#young.delete(name);
    this.#old.delete(name);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
  }

  #add(name: string, value: Sized<Value>): void {
    if (this.#youngBytes + value.bytes > this.#maxBytes / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(name, value);
    this.#youngBytes += value.bytes;
  }
}

/** FNV-1a of 32 bits, by characters. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash;
}
