/** Files of a folder as one table: one after the other, columns by their names, with what the names of folders say (`year=2024/`). */

import { compareOrders } from './table-file.js';
import { textColumn } from './text-column.js';
import { textOrder } from './text-order.js';
import { uniqueNames } from './unique-names.js';
import type { Batch, Cell, ColumnFacts, TableColumn, TableFile } from './table-file.js';

export interface TablePart {
  /** Path below the folder. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  open(): Promise<TableFile>;
}

/** Files that are open at once. */
const mostOpen = 16;
/** Files that are opened at once. */
const together = 8;
/** Column with the file that a row is from. */
const fileColumn = '(file)';

/** What is known of a file that may be closed. */
interface KnownPart {
  readonly part: TablePart;
  readonly names: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly facts: readonly ColumnFacts[];
  total: number | undefined;
  readonly constants: ReadonlyMap<string, Cell>;
}

export async function openFolder(parts: readonly TablePart[]): Promise<TableFile> {
  const open = new OpenParts();
  const known: KnownPart[] = [];
  for (let at = 0; at < parts.length; at += together)
    known.push(...(await Promise.all(parts.slice(at, at + together).map(part => knownPart(part, open)))));
  return new FolderTable(known, open);
}

async function knownPart(part: TablePart, open: OpenParts): Promise<KnownPart> {
  const table = await open.get(part);
  const { columns, total, facts } = table;
  return { part, names: uniqueNames(table), columns, facts, total, constants: constantsOf(part.name) };
}

/** Names of folders that say what all rows below them have, as Hive writes them. */
function constantsOf(name: string): ReadonlyMap<string, Cell> {
  const folders = name.split('/').slice(0, -1);
  const pairs = folders.flatMap(folder => {
    const equals = folder.indexOf('=');
    return equals > 0 ? [[decoded(folder.slice(0, equals)), decoded(folder.slice(equals + 1))] as const] : [];
  });
  const values = pairs.map(([key, value]): [string, Cell] => [key, value === '__HIVE_DEFAULT_PARTITION__' ? null : value]);
  return new Map([...values, [fileColumn, name]]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The files that were read last. */
class OpenParts {
  readonly #open = new Map<TablePart, Promise<TableFile>>();

  get(part: TablePart): Promise<TableFile> {
    const table = this.#open.get(part) ?? named(part);
    this.#open.delete(part);
    this.#open.set(part, table);
    table.catch(() => this.#open.delete(part));
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostOpen && oldest) this.#open.delete(oldest);
    return table;
  }
}

async function named(part: TablePart): Promise<TableFile> {
  try {
    return await part.open();
  } catch (error) {
    if (error instanceof Error && !('status' in error)) throw new Error(`${part.name}: ${error.message}`, { cause: error });
    throw error;
  }
}

interface FolderColumn {
  readonly column: TableColumn;
  /** Values of different types are compared as texts. */
  readonly isMixed: boolean;
}

class FolderTable implements TableFile {
  readonly notes: string[] = [];
  readonly #parts: readonly KnownPart[];
  readonly #open: OpenParts;
  #known: { readonly width: number; readonly columns: readonly FolderColumn[]; readonly plain: readonly TableColumn[] };

  constructor(parts: readonly KnownPart[], open: OpenParts) {
    this.#parts = parts;
    this.#open = open;
    const columns = columnsOf(parts);
    this.#known = { width: columns.length, columns, plain: columns.map(({ column }) => column) };
  }

  get columns(): readonly TableColumn[] {
    return this.#known.plain;
  }

  get total(): number | undefined {
    let sum = 0;
    for (const { total } of this.#parts) {
      if (total === undefined) return undefined;
      sum += total;
    }
    return sum;
  }

  /** Formats that say something about their columns say it of each file. */
  get facts(): readonly ColumnFacts[] {
    return this.#parts.some(({ facts }) => facts.length > 0) ? this.#known.columns.map(column => factsOf(this.#parts, column)) : [];
  }

  async cells(start: number, end: number, columns: readonly number[]): Promise<Cell[][]> {
    const rows: Cell[][] = [];
    let offset = 0;
    for (const known of this.#parts) {
      if (offset >= end) break;
      if (known.total === undefined || offset + known.total > start) {
        const table = await this.#open.get(known.part);
        const places = this.#placesIn(known, columns);
        const found = await table.cells(
          Math.max(0, start - offset),
          end - offset,
          places.flatMap(({ place }) => place ?? []),
        );
        known.total ??= table.total;
        for (const cells of found) {
          let next = 0;
          rows.push(places.map(({ place, constant }) => (place === undefined ? constant : (cells[next++] ?? null))));
        }
        // Rows of what comes before are counted, to know where those of the next file begin.
        if (known.total === undefined && start + rows.length < end) await this.#count(known, table);
      }
      offset += known.total ?? Infinity;
    }
    return rows;
  }

  async *scan(columns: readonly number[]): AsyncGenerator<Batch> {
    const bytes = this.#parts.reduce((sum, { part }) => sum + part.size, 0);
    let [offset, before] = [0, 0];
    for (const known of this.#parts) {
      const table = await this.#open.get(known.part);
      const places = this.#placesIn(known, columns);
      let rows = 0;
      for await (const batch of table.scan(places.flatMap(({ place }) => place ?? []))) {
        let next = 0;
        const values = places.map(({ place, constant, read }) => {
          if (place === undefined) return Array.from({ length: batch.count }, () => constant);
          const stored = batch.values[next++] ?? [];
          return read ? Array.from({ length: batch.count }, (_, i) => read.text(stored[i])) : stored;
        });
        rows = batch.start + batch.count;
        yield { start: offset + batch.start, count: batch.count, values, share: (before + batch.share * known.part.size) / bytes };
      }
      known.total = rows;
      this.#noteGrowth(known, table);
      offset += rows;
      before += known.part.size;
    }
  }

  /** Rows may have values beyond the columns that a file began with. */
  #noteGrowth({ part, names }: KnownPart, { columns }: TableFile): void {
    const note = `${part.name} has further columns below its first rows. Open it alone to see them.`;
    if (columns.length > names.length && !this.notes.includes(note)) this.notes.push(note);
  }

  async #count(known: KnownPart, table: TableFile): Promise<void> {
    let rows = 0;
    for await (const { start, count } of table.scan([])) rows = start + count;
    known.total = rows;
  }

  /** Where a file has the columns; `read` makes texts of their values where other files store them in another way. */
  #placesIn(
    known: KnownPart,
    columns: readonly number[],
  ): readonly { readonly place: number | undefined; readonly constant: Cell; readonly read: TableColumn | undefined }[] {
    return columns.map(number => {
      const shared = this.#known.columns[number];
      const name = shared?.column.name ?? '';
      const place = known.names.indexOf(name);
      if (place < 0) return { place: undefined, constant: known.constants.get(name) ?? null, read: undefined };
      return { place, constant: null, read: shared?.isMixed ? known.columns[place] : undefined };
    });
  }
}

function columnsOf(parts: readonly KnownPart[]): readonly FolderColumn[] {
  const stored = new Set(parts.flatMap(({ names }) => names));
  const constants = new Set(parts.flatMap(part => [...part.constants.keys()].filter(name => !stored.has(name))));
  return [...[...stored].map(name => storedColumn(name, parts)), ...[...constants].map(name => constantColumn(name, parts))];
}

function storedColumn(name: string, parts: readonly KnownPart[]): FolderColumn {
  const those = parts.flatMap(({ names, columns }) => {
    const place = names.indexOf(name);
    return place < 0 ? [] : columns.slice(place, place + 1);
  });
  const [first] = those;
  const types = new Set(those.map(({ type, stored }) => JSON.stringify([type, stored?.type])));
  const isNumeric = those.every(column => column.isNumeric);
  if (first && types.size === 1) return { column: { ...first, name, isNumeric }, isMixed: false };
  const kinds = [...new Set(those.map(({ type }) => type))].filter(type => type !== undefined);
  return { column: { ...textColumn(name, isNumeric), ...(kinds.length > 0 ? { type: kinds.join(' | ') } : {}) }, isMixed: true };
}

function constantColumn(name: string, parts: readonly KnownPart[]): FolderColumn {
  const values = parts.flatMap(({ constants }) => constants.get(name) ?? []);
  const areNumbers = values.length > 0 && values.every(value => typeof textOrder(value) !== 'string');
  return { column: textColumn(name, areNumbers), isMixed: false };
}

/** Only what is certain: a file that says nothing leaves everything open. */
function factsOf(parts: readonly KnownPart[], { column, isMixed }: FolderColumn): ColumnFacts {
  if (isMixed) return {};
  const all = parts.map(({ names, facts, total }): ColumnFacts => {
    const place = names.indexOf(column.name);
    return place < 0 ? (total === undefined ? {} : { nulls: total }) : (facts[place] ?? {});
  });
  const nulls = all.reduce<number | undefined>(
    (sum, each) => (sum === undefined || each.nulls === undefined ? undefined : sum + each.nulls),
    0,
  );
  const [least, greatest] = [limitOf(all, column, 'least', -1), limitOf(all, column, 'greatest', 1)];
  return {
    ...(nulls === undefined || parts.some(({ constants }) => constants.has(column.name)) ? {} : { nulls }),
    least,
    greatest,
  };
}

function limitOf(all: readonly ColumnFacts[], { orderOfText }: TableColumn, name: 'least' | 'greatest', wanted: 1 | -1): Cell | undefined {
  const texts = all.map(facts => facts[name]);
  if (!orderOfText || !texts.every((text): text is string => typeof text === 'string')) return undefined;
  return texts.reduce((best, text) =>
    Math.sign(compareOrders(orderOfText(text) ?? null, orderOfText(best) ?? null)) === wanted ? text : best,
  );
}
