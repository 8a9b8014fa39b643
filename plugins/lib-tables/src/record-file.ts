/** A table whose rows are records of a text, one after the other: what CSV and lines of JSON share. */

import { recordBlocks } from './record-blocks.js';
import { decodeText, encodingNote } from './text-encoding.js';
import { isNumberText, textOrder } from './text-order.js';
import type { ByteSource } from './byte-source.js';
import type { Block, RecordEnds } from './record-blocks.js';
import type { Batch, Cell, ColumnFacts, TableColumn, TableFile } from './table-file.js';

/** How the records of a format are read. */
export interface RecordFormat {
  /** Where the first record is that is a row. */
  readonly start: number;
  /** Names of columns so far: reading may find more. */
  readonly names: readonly string[];
  /** Columns that more than texts are known of. */
  readonly types?: readonly (string | undefined)[];
  ends(): RecordEnds;
  /** @param text whole records. @returns values in the order of `names`. */
  rows(text: string): readonly (readonly Cell[])[];
}

interface Checkpoint {
  /** Number of the row that begins at `offset`. */
  readonly row: number;
  readonly offset: number;
}

interface ReadBlock extends Checkpoint {
  readonly rows: readonly (readonly Cell[])[];
  readonly isLast: boolean;
}

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
  /** Columns whose values so far are all numbers. */
  readonly #areNumbers: boolean[] = [];
  #columns: TableColumn[] = [];

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
    const { names, types = [] } = this.#format;
    if (this.#columns.length !== names.length || this.#columns.some(({ isNumeric }, i) => isNumeric !== (this.#areNumbers[i] ?? false)))
      this.#columns = names.map((name, i) => {
        const type = types[i];
        return {
          name,
          isNumeric: this.#areNumbers[i] ?? false,
          text: value => (typeof value === 'string' ? value : null),
          order: value => textOrder(typeof value === 'string' ? value : null),
          label: String,
          ...(type === undefined ? {} : { type }),
        };
      });
    return this.#columns;
  }

  async cells(start: number, end: number, columns: readonly number[]): Promise<Cell[][]> {
    const found: Cell[][] = [];
    for await (const block of this.#blocks(start)) {
      for (let i = Math.max(0, start - block.row); i < block.rows.length && block.row + i < end; i++) {
        const row = block.rows[i] ?? [];
        found.push(columns.map(column => row[column] ?? null));
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
      yield kept.block;
      if (kept.block.isLast) return;
      at += kept.block.rows.length;
      offset = kept.next;
    }
    for await (const block of recordBlocks(this.#source, offset, this.#format.ends())) {
      const read = this.#read(block, at);
      at += read.rows.length;
      if (block.isLast) this.#total = at;
      else this.#note({ row: at, offset: block.offset + block.bytes.length });
      yield read;
    }
  }

  #keptAt(offset: number): { readonly block: ReadBlock; readonly next: number } | undefined {
    const block = this.#kept.find(each => each.offset === offset);
    const next = this.#checkpoints.find(checkpoint => checkpoint.offset > offset)?.offset;
    return block && (next !== undefined || block.isLast) ? { block, next: next ?? this.#source.size } : undefined;
  }

  #note(checkpoint: Checkpoint): void {
    const last = this.#checkpoints.at(-1);
    if (!last || checkpoint.offset > last.offset) this.#checkpoints.push(checkpoint);
  }

  #read({ offset, bytes, isLast }: Block, row: number): ReadBlock {
    const decoded = decodeText(bytes);
    const note = encodingNote(decoded);
    if (note !== undefined && !this.#notes.includes(note)) this.#notes.push(note);
    const rows = this.#format.rows(decoded.text);
    for (let column = 0; column < this.#format.names.length; column++) if (this.#areNumbers[column] !== false) this.#lookAt(rows, column);
    const block = { offset, row, rows, isLast };
    this.#kept = [...this.#kept.filter(kept => kept.offset !== offset), block].slice(-mostKept);
    return block;
  }

  #lookAt(rows: readonly (readonly Cell[])[], column: number): void {
    const filled = rows.filter(row => (row[column] ?? '') !== '');
    if (filled.length > 0) this.#areNumbers[column] = filled.every(row => isNumberText(row[column] ?? ''));
  }
}
