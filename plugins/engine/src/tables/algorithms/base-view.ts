/** Answers questions about a base metarange for keys that only ascend, reading no more of it than needed. */
import { decodeDescriptor } from '../format/index.js';
import type { RangeDescriptor, TableCursor, TableReader } from '../format/index.js';
import type { LeaveRange, OpenRange } from './metarange-cursor.js';

export class BaseView {
  readonly #ranges: TableCursor | undefined;
  readonly #open: OpenRange;
  readonly #left: LeaveRange | undefined;
  #range: RangeDescriptor | undefined;
  #table: TableReader | undefined;
  #started = false;

  constructor(metarange: TableReader | undefined, open: OpenRange, left?: LeaveRange) {
    this.#ranges = metarange?.cursor();
    this.#open = open;
    this.#left = left;
  }

  /** First range that shares keys with [min, max]; `undefined` when none does. */
  overlapping(min: Buffer, max: Buffer): RangeDescriptor | undefined {
    this.#moveTo(min);
    return this.#range !== undefined && Buffer.compare(this.#range.minKey, max) <= 0 ? this.#range : undefined;
  }

  /** Record value of exactly this key. */
  async value(key: Buffer): Promise<Buffer | undefined> {
    this.#moveTo(key);
    if (this.#range === undefined || Buffer.compare(this.#range.minKey, key) > 0) return undefined;
    this.#table ??= await this.#open(this.#range.id);
    return this.#table.get(key);
  }

  /** To the first range whose last key is not below `key`. */
  #moveTo(key: Buffer): void {
    if (this.#ranges === undefined || (this.#started && this.#range === undefined)) return;
    if (this.#range !== undefined && Buffer.compare(this.#range.maxKey, key) >= 0) return;
    if (this.#table && this.#range) this.#left?.(this.#range.id);
    this.#ranges.seek(key);
    this.#started = true;
    this.#table = undefined;
    this.#range = this.#ranges.valid ? decodeDescriptor(this.#ranges.value) : undefined;
  }
}
