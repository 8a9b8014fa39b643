/** A table whose rows are records one after the other, read by blocks: what CSV, lines of JSON and Avro share. */

import type { ByteSource } from './byte-source.js';
import type { Batch, Cell, ColumnFacts, TableColumn, TableFile } from './table-file.js';

/** Records next to each other. */
export interface RecordBlock {
  /** Places of its first byte and of the one after its last. */
  readonly offset: number;
  readonly end: number;
  /** Stored values, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** The file ends with it. */
  readonly isLast: boolean;
  /** What people should know about how it was read. */
  readonly note?: string | undefined;
}

/** How the records of a format are read. */
export interface RecordFormat {
  /** Where the first record is that is a row. */
  readonly start: number;
  /** Those known so far: reading may find more. */
  readonly columns: readonly TableColumn[];
  /** @param from where a block begins. */
  blocks(source: ByteSource, from: number): AsyncGenerator<RecordBlock>;
}

interface Checkpoint {
  /** Number of the row that begins at `offset`. */
  readonly row: number;
  readonly offset: number;
}

type ReadBlock = RecordBlock & Checkpoint;

/** Blocks whose rows are kept. */
const mostKept = 4;

export class RecordFile implements TableFile {
  readonly facts: readonly ColumnFacts[] = [];
  readonly #source: ByteSource;
  readonly #format: RecordFormat;
  readonly #notes: string[];
  readonly #checkpoints: Checkpoint[];
  #total: number | undefined;
  #kept: ReadBlock[] = [];

  constructor(source: ByteSource, format: RecordFormat, notes: readonly string[]) {
    this.#source = source;
    this.#format = format;
    this.#notes = [...notes];
    this.#checkpoints = [{ row: 0, offset: format.start }];
    if (format.start >= source.size) this.#total = 0;
  }

  get total(): number | undefined {
    return this.#total;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Grows when rows with further values are read. */
  get columns(): readonly TableColumn[] {
    return this.#format.columns;
  }

  async cells(start: number, end: number, columns: readonly number[]): Promise<Cell[][]> {
    const found: Cell[][] = [];
    for await (const block of this.#blocks(start)) {
      const known = this.columns;
      for (let i = Math.max(0, start - block.row); i < block.rows.length && block.row + i < end; i++) {
        const row = block.rows[i] ?? [];
        found.push(columns.map(column => known[column]?.text(row[column] ?? null) ?? null));
      }
      if (block.row + block.rows.length >= end) break;
    }
    return found;
  }

  async *scan(columns: readonly number[]): AsyncGenerator<Batch> {
    for await (const { row, rows, offset, isLast } of this.#blocks(0)) {
      const values = columns.map(column => rows.map(each => each[column] ?? null));
      yield { start: row, count: rows.length, values, share: isLast ? 1 : offset / this.#source.size };
    }
  }

  /** Blocks from the one with a row on. */
  async *#blocks(row: number): AsyncGenerator<ReadBlock> {
    const from = this.#checkpoints.findLast(checkpoint => checkpoint.row <= row) ?? { row: 0, offset: this.#format.start };
    let at = from.row;
    let { offset } = from;
    for (let kept = this.#keptAt(offset); kept; kept = this.#keptAt(offset)) {
      yield kept;
      if (kept.isLast) return;
      at += kept.rows.length;
      // Where a block ends depends on where the reading began: the next checkpoint may be elsewhere.
      offset = kept.end;
    }
    for await (const block of this.#format.blocks(this.#source, offset)) {
      const read = this.#keep(block, at);
      at += read.rows.length;
      if (block.isLast) this.#total = at;
      else this.#note({ row: at, offset: block.end });
      yield read;
    }
  }

  #keptAt(offset: number): ReadBlock | undefined {
    return this.#kept.find(block => block.offset === offset);
  }

  #note(checkpoint: Checkpoint): void {
    const last = this.#checkpoints.at(-1);
    if (!last || checkpoint.offset > last.offset) this.#checkpoints.push(checkpoint);
  }

  #keep(block: RecordBlock, row: number): ReadBlock {
    const { note } = block;
    if (note !== undefined && !this.#notes.includes(note)) this.#notes.push(note);
    const read = { ...block, row };
    this.#kept = [...this.#kept.filter(kept => kept.offset !== block.offset), read].slice(-mostKept);
    return read;
  }
}
