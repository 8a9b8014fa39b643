/** Answers requests about tables: what the worker does, without the worker. */
import { cellsAt } from './cells-at.js';
import { openFolder } from './folder-table.js';
import { complete, openTable } from './open-table.js';
import { selectRows } from './row-selection.js';
import { summarize } from './summarize.js';
import { diffBytes, diffTables } from './table-diff.js';
import type { ByteSource } from './byte-source.js';
import type { Cell, TableFile } from './table-file.js';
import type { Progress, RequestName, Requests, ShownCell, TableObject, TableShape } from './table-protocol.js';

/** Bytes of a file of a folder that is fetched whole. */
const smallPart = 256 * 1024;
/** Bytes of a difference. */
const mostDiffBytes = 2 ** 31;
/** Characters of a cell that are drawn. */
const mostDrawn = 500;

type Handler<N extends RequestName> = (
  input: Requests[N]['input'],
  onProgress: (progress: Progress) => void,
) => Promise<Requests[N]['output']>;

export class TableServer {
  readonly #sourceOf: (object: TableObject) => ByteSource;
  readonly #tables: TableFile[] = [];
  readonly #handlers: { readonly [N in RequestName]: Handler<N> } = {
    open: async object => {
      const table = await (object.parts ? this.#openFolder(object, object.parts) : openTable(object.format, this.#sourceOf(object)));
      this.#tables.push(table);
      return shapeOf(table);
    },
    complete: async ({ table }, onProgress) => {
      await complete(this.#table(table), share => onProgress({ share }));
      return shapeOf(this.#table(table));
    },
    cells: async ({ table, rows, columns }) => {
      const found = await cellsAt(this.#table(table), rows, columns);
      return { cells: found.map(row => row.map(shown)), shape: shapeOf(this.#table(table)) };
    },
    cell: async ({ table, row, column }) => (await this.#table(table).cells(row, row + 1, [column]))[0]?.[0] ?? null,
    select: async (wanted, onProgress) => {
      await this.#complete(onProgress);
      return selectRows(this.#table(0), wanted, (share, found) => onProgress({ share, found }));
    },
    summarize: async ({ columns }, onProgress) => {
      const [total] = await this.#complete(onProgress);
      await summarize(this.#table(0), columns, (share, done) => onProgress({ share, done }));
      return total ?? 0;
    },
    diff: async (options, onProgress) => {
      const [before = 0, after = 0] = await this.#complete(onProgress);
      if (diffBytes([before, after]) > mostDiffBytes)
        throw new Error(`tables of ${before} and ${after} rows are too large to be compared in a browser`);
      return diffTables(this.#table(0), this.#table(1), [before, after], {
        ...options,
        onProgress: (step, share) => onProgress({ step, share }),
      });
    },
  };

  /** @param sourceOf bytes of an object. */
  constructor(sourceOf: (object: TableObject) => ByteSource) {
    this.#sourceOf = sourceOf;
  }

  run<N extends RequestName>(
    name: N,
    input: Requests[N]['input'],
    onProgress: (progress: Progress) => void,
  ): Promise<Requests[N]['output']> {
    return this.#handlers[name](input, onProgress);
  }

  #openFolder(object: TableObject, parts: NonNullable<TableObject['parts']>): Promise<TableFile> {
    return openFolder(
      parts.map(({ path, size }) => ({
        name: path.slice(object.path.length),
        size,
        open: () => openTable(object.format, { ...this.#sourceOf({ ...object, path, size }), smallBytes: smallPart }),
      })),
    );
  }

  /** @returns rows of each table, all of whose columns are known then. */
  async #complete(onProgress: (progress: Progress) => void): Promise<readonly number[]> {
    const totals: number[] = [];
    for (const table of this.#tables) totals.push(await complete(table, share => onProgress({ step: 'Counting rows', share })));
    return totals;
  }

  #table(number: number): TableFile {
    const table = this.#tables[number];
    if (!table) throw new Error('this table is not open');
    return table;
  }
}

function shapeOf({ columns, total, notes, facts }: TableFile): TableShape {
  return {
    columns: columns.map(({ name, type, isNumeric }, i) => {
      const known = facts[i];
      return { name, isNumeric, ...(type === undefined ? {} : { type }), ...(known ? { facts: known } : {}) };
    }),
    total,
    notes: [...notes],
  };
}

function shown(cell: Cell): ShownCell {
  if (cell === null || cell.length <= mostDrawn) return cell;
  // Not between the halves of a character.
  return { start: cell.slice(0, mostDrawn).replace(/[\ud800-\udbff]$/, ''), length: cell.length };
}
