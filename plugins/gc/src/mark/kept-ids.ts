/** A sorted file of object ids. Lookups in about the same order take a step forward each; others take a search. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { idBytes } from './object-id.js';

const blockIds = 4096;

export class KeptIds {
  readonly #descriptor: number;
  readonly #count: number;
  /** Ids of a block, and the first one of the next. */
  readonly #block = Buffer.alloc((blockIds + 1) * idBytes);
  /** Number of the first id in the block, and how many it holds. */
  #first = 0;
  #held = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.#count = Math.floor(fstatSync(this.#descriptor).size / idBytes);
  }

  get count(): number {
    return this.#count;
  }

  /** @param id 24 bytes as latin1. */
  has(id: string): boolean {
    if (this.#count === 0) return false;
    const wanted = Buffer.from(id, 'latin1');
    if (!this.#covers(wanted)) this.#load(this.#blockOf(wanted));
    let [low, high] = [0, this.#held - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = this.#compare(middle, wanted);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }

  /** Whether the id, if there is one, lies in the block at hand: ids before the first block and after the last one, too. */
  #covers(wanted: Buffer): boolean {
    if (this.#held === 0) return false;
    const isLast = this.#first + this.#held >= this.#count;
    return (this.#first === 0 || this.#compare(0, wanted) <= 0) && (isLast || this.#compare(this.#held, wanted) > 0);
  }

  /** Number of the block that may hold the id: the next one, mostly. */
  #blockOf(wanted: Buffer): number {
    const blocks = Math.ceil(this.#count / blockIds);
    const next = Math.floor(this.#first / blockIds) + 1;
    if (this.#held > 0 && next < blocks && this.#compare(this.#held, wanted) <= 0) {
      this.#load(next);
      if (this.#covers(wanted)) return next;
    }
    let [low, high] = [0, blocks - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (Buffer.compare(this.#idAt(middle * blockIds), wanted) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #load(block: number): void {
    const first = block * blockIds;
    if (first === this.#first && this.#held > 0) return;
    this.#first = first;
    const read = Math.floor(readSync(this.#descriptor, this.#block, 0, this.#block.length, first * idBytes) / idBytes);
    this.#held = Math.min(read, blockIds);
  }

  #idAt(number: number): Buffer {
    const id = Buffer.alloc(idBytes);
    readSync(this.#descriptor, id, 0, idBytes, number * idBytes);
    return id;
  }

  #compare(held: number, wanted: Buffer): number {
    return this.#block.compare(wanted, 0, idBytes, held * idBytes, (held + 1) * idBytes);
  }
}
