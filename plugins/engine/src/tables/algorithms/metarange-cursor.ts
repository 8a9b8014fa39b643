/** Walks a metarange: range by range, and record by record inside the ranges the caller enters. */
import { SrvError } from '@srv/kernel/errors';
import { decodeDescriptor } from '../format/index.js';
import type { RangeDescriptor, TableCursor, TableReader, UnreadBlock } from '../format/index.js';

/** Opens range tables. */
export type OpenRange = (id: string) => TableReader | Promise<TableReader>;
/** Learns that a range table, once for each time that it was opened, is read no more. */
export type LeaveRange = (id: string) => void;

export class MetarangeCursor {
  readonly #metarange: TableCursor | undefined;
  readonly #open: OpenRange;
  readonly #left: LeaveRange | undefined;
  #range: RangeDescriptor | undefined;
  #records: TableCursor | undefined;

  /** @param metarange absent: no objects. Positioned at the first range. */
  constructor(metarange: TableReader | undefined, open: OpenRange, left?: LeaveRange) {
    this.#metarange = metarange?.cursor();
    this.#open = open;
    this.#left = left;
    this.#metarange?.first();
    this.#readRange();
  }

  get done(): boolean {
    return this.#range === undefined;
  }

  /** At a range that has not been entered. */
  get atRange(): boolean {
    return this.#range !== undefined && this.#records === undefined;
  }

  /** The range under the cursor, entered or not. */
  get range(): RangeDescriptor {
    if (this.#range === undefined) throw new SrvError('internal', 'the metarange cursor is past the end');
    return this.#range;
  }

  get key(): Buffer {
    return this.#current.key;
  }

  get value(): Buffer {
    return this.#current.value;
  }

  /** Range and place in it of the record's block. */
  get block(): string {
    return `${this.range.id}/${this.#current.blockOffset}`;
  }

  blockRecords(): ReturnType<TableCursor['blockRecords']> {
    return this.#current.blockRecords();
  }

  /** Smallest key that can follow: the record's, or the range's first. */
  get nextKey(): Buffer {
    return this.#records === undefined ? this.range.minKey : this.#records.key;
  }

  /** Goes to the first record of the range. @param keep whether its blocks go to the cache. */
  async enter(keep = false): Promise<void> {
    this.#records = (await this.#open(this.range.id)).cursor(keep);
    this.#records.first();
    this.#leaveIfEnded();
  }

  /** Passes the record, or the whole range when it has not been entered. */
  next(): void {
    if (this.#records === undefined) this.nextRange();
    else {
      this.#records.next();
      this.#leaveIfEnded();
    }
  }

  nextRange(): void {
    if (this.#records) this.#left?.(this.range.id);
    this.#records = undefined;
    this.#metarange?.next();
    this.#readRange();
  }

  /** Goes to the first range or record that is not below `key`. Enters a range only when `key` lies inside it. */
  async seek(key: Buffer, keep = false): Promise<void> {
    const left = this.#records && this.range.id;
    try {
      await this.#seek(key, keep);
    } finally {
      // Last: the same range is usually entered again.
      if (left !== undefined) this.#left?.(left);
    }
  }

  async #seek(key: Buffer, keep: boolean): Promise<void> {
    this.#records = undefined;
    this.#metarange?.seek(key);
    this.#readRange();
    if (this.#range === undefined || Buffer.compare(this.#range.minKey, key) >= 0) return;
    this.#records = (await this.#open(this.#range.id)).cursor(keep);
    this.#records.seek(key);
    this.#leaveIfEnded();
  }

  /** When both cursors stand at blocks with equal bytes: passes them on both sides. */
  skipEqualBlocks(other: MetarangeCursor): void {
    if (this.#records === undefined || other.#records === undefined) return;
    this.#records.skipEqualBlocks(other.#records);
    this.#leaveIfEnded();
    other.#leaveIfEnded();
  }

  /** The block before which the cursor stands in an entered range, when it and the next one have not been read. */
  get unreadBlock(): UnreadBlock | undefined {
    return this.#records?.unreadBlock;
  }

  /** The unread block before which both cursors stand, when it may be copied whatever follows ({@link TableCursor.commonBlock}). */
  commonBlock(other: MetarangeCursor): UnreadBlock | undefined {
    return this.#records && other.#records && this.#records.commonBlock(other.#records);
  }

  /** Passes the block before which the cursor stands. */
  skipBlock(): void {
    this.#current.skipBlock();
    this.#leaveIfEnded();
  }

  get #current(): TableCursor {
    if (this.#records === undefined) throw new SrvError('internal', 'the metarange cursor has not entered a range');
    return this.#records;
  }

  #leaveIfEnded(): void {
    if (this.#records !== undefined && !this.#records.valid) this.nextRange();
  }

  #readRange(): void {
    this.#range = this.#metarange?.valid ? decodeDescriptor(this.#metarange.value) : undefined;
  }
}
