/** The records of one block as text: returns any run of them in one piece, without visiting each. */
export class SerializedBlock {
  readonly length: number;
  /** All texts, a comma between any two. */
  readonly #text: Buffer;
  /** Where each text begins; one more for the end of the last, a comma further. */
  readonly #starts: Uint32Array;
  readonly #keys: Buffer;
  readonly #keyStarts: Uint32Array;

  /** @param items in key order, at least one. */
  constructor(items: readonly { readonly key: Buffer; readonly text: string }[]) {
    this.length = items.length;
    this.#text = Buffer.from(items.map(({ text }) => text).join(','));
    this.#starts = ends(items.map(({ text }) => Buffer.byteLength(text) + 1));
    this.#keys = Buffer.concat(items.map(({ key }) => key));
    this.#keyStarts = ends(items.map(({ key }) => key.length));
  }

  /** Memory it takes, about. */
  get bytes(): number {
    return this.#text.length + this.#keys.length + 8 * this.length + 500;
  }

  /** Key of a record from 0 to `length - 1`; a view. */
  keyAt(index: number): Buffer {
    return this.#keys.subarray(this.#keyStarts[index], this.#keyStarts[index + 1]);
  }

  /** Texts of the records from `first` to before `end`, which is greater; a view. */
  slice(first: number, end: number): Buffer {
    return this.#text.subarray(this.#starts[first], (this.#starts[end] ?? 0) - 1);
  }

  /** The first record whose key is not below `key`; `length` if every key is below. */
  indexOf(key: Buffer): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = this.#keys.compare(key, 0, key.length, this.#keyStarts[middle], this.#keyStarts[middle + 1]);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Sums of the lengths before each, and of all. */
function ends(lengths: readonly number[]): Uint32Array {
  const sums = new Uint32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) sums[i + 1] = (sums[i] ?? 0) + length;
  return sums;
}
