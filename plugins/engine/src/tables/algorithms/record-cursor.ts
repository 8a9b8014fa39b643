/** All records of a metarange in order, entering ranges as they come: what listings and scans walk. */
import type { MetarangeCursor } from './metarange-cursor.js';

export class RecordCursor {
  readonly #metarange: MetarangeCursor;

  constructor(metarange: MetarangeCursor) {
    this.#metarange = metarange;
  }

  /** Whether `key` and `value` can be read; before the first `seek` they cannot. */
  get valid(): boolean {
    return !this.#metarange.done && !this.#metarange.atRange;
  }

  get key(): Buffer {
    return this.#metarange.key;
  }

  get value(): Buffer {
    return this.#metarange.value;
  }

  get block(): string {
    return this.#metarange.block;
  }

  blockRecords(): ReturnType<MetarangeCursor['blockRecords']> {
    return this.#metarange.blockRecords();
  }

  /** Goes to the first record that is not below `key`. */
  async seek(key: Buffer): Promise<void> {
    await this.#metarange.seek(key, true);
    if (this.#metarange.atRange) await this.#metarange.enter(true);
  }

  /** Moves on; await the result when there is one. */
  next(): Promise<void> | undefined {
    this.#metarange.next();
    return this.#metarange.atRange ? this.#metarange.enter() : undefined;
  }

  /** Goes before the next block, which is not read yet; await the result when there is one. */
  nextBlock(): Promise<void> | undefined {
    this.#metarange.skipBlock();
    return this.#metarange.atRange ? this.#metarange.enter(true) : undefined;
  }
}
