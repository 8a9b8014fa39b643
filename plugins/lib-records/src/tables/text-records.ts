/** Records of a text as rows: what CSV and lines of JSON share. */
import { recordBlocks } from './record-blocks.js';
import { textColumn } from './text-column.js';
import { decodeText, encodingNote } from './text-encoding.js';
import { isNumberText } from './text-order.js';
import type { ByteSource } from './byte-source.js';
import type { RecordEnds } from './record-blocks.js';
import type { RecordBlock, RecordFormat } from './record-file.js';
import type { Cell, TableColumn } from './table-file.js';

/** What a format of texts says of its records. */
interface TextFormat {
  readonly start: number;
  /** Names of columns so far: reading may find more. */
  readonly names: readonly string[];
  ends(): RecordEnds;
  /** @param text whole records. @returns values in the order of `names`. */
  rows(text: string): readonly (readonly Cell[])[];
}

export class TextRecords implements RecordFormat {
  readonly start: number;
  readonly #format: TextFormat;
  /** Columns whose values so far are all numbers. */
  readonly #areNumbers: boolean[] = [];
  #columns: TableColumn[] = [];

  constructor(format: TextFormat) {
    this.#format = format;
    this.start = format.start;
  }

  get columns(): readonly TableColumn[] {
    const { names } = this.#format;
    if (this.#columns.length !== names.length || this.#columns.some(({ isNumeric }, i) => isNumeric !== (this.#areNumbers[i] ?? false)))
      this.#columns = names.map((name, i) => textColumn(name, this.#areNumbers[i] ?? false));
    return this.#columns;
  }

  async *blocks(source: ByteSource, from: number): AsyncGenerator<RecordBlock> {
    for await (const { offset, bytes, isLast } of recordBlocks(source, from, this.#format.ends())) {
      const decoded = decodeText(bytes);
      const rows = this.#format.rows(decoded.text);
      for (let column = 0; column < this.#format.names.length; column++) if (this.#areNumbers[column] !== false) this.#lookAt(rows, column);
      yield { offset, end: offset + bytes.length, rows, isLast, note: encodingNote(decoded) };
    }
  }

  #lookAt(rows: readonly (readonly Cell[])[], column: number): void {
    const filled = rows.filter(row => (row[column] ?? '') !== '');
    if (filled.length > 0) this.#areNumbers[column] = filled.every(row => isNumberText(row[column] ?? ''));
  }
}
