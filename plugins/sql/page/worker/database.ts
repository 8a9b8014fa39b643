/** The engine: one database in memory, with the files that the page brings. */
import { BROWSER_RUNTIME, DuckDBDataProtocol, VoidLogger, createDuckDB } from '@duckdb/duckdb-wasm/blocking';
import { cellOf } from './cell.js';
import type { DuckDBBindings, DuckDBConnection } from '@duckdb/duckdb-wasm/blocking';
import type { Result } from './protocol.js';

/** Rows that the page shows. */
const shownRows = 1000;
/** Holds the result of the last query, so that all of it can be exported. */
const kept = '"srv result"';

/** What the engine answers, as far as it is used: the library's own types need more than this package has. */
interface Answer {
  readonly schema: { readonly fields: readonly { readonly name: string; readonly type: unknown }[] };
  readonly numRows: number;
  getChildAt(column: number): { get(row: number): unknown } | null;
}

export class Database {
  readonly #bindings: DuckDBBindings;
  readonly #connection: DuckDBConnection;

  private constructor(bindings: DuckDBBindings) {
    this.#bindings = bindings;
    this.#connection = bindings.connect();
  }

  /** @param wasm address of the engine. */
  static async open(wasm: string): Promise<Database> {
    const files = { mainModule: wasm, mainWorker: '' };
    const bindings = await createDuckDB({ mvp: files, eh: files }, new VoidLogger(), BROWSER_RUNTIME);
    await bindings.instantiate(() => undefined);
    bindings.open({ path: ':memory:' });
    return new Database(bindings);
  }

  /** The content stays with the browser, which may keep it on disk, and is read as far as queries need it. */
  addFile(name: string, content: Blob): void {
    this.#bindings.registerFileHandle(name, content, DuckDBDataProtocol.BROWSER_FILEREADER, true);
  }

  dropFile(name: string): void {
    this.#bindings.dropFile(name);
  }

  /** @param writes files that the statement writes. @returns the result, and what was written. */
  run(sql: string, isQuery: boolean, writes: readonly string[]): { readonly result: Result; readonly written: readonly Blob[] } {
    for (const name of writes) this.#bindings.registerFileBuffer(name, new Uint8Array());
    try {
      const result = isQuery ? this.#query(sql) : this.#execute(sql);
      return { result, written: writes.map(name => this.#contentOf(name)) };
    } finally {
      for (const name of writes) this.#bindings.dropFile(name);
    }
  }

  exportResult(format: 'csv' | 'parquet'): Blob {
    const name = `export.${format}`;
    const copy = format === 'csv' ? `${kept} TO '${name}' (FORMAT CSV, HEADER)` : `(${this.#forParquet()}) TO '${name}' (FORMAT PARQUET)`;
    const { written } = this.run(`COPY ${copy}`, false, [name]);
    return new Blob(written.slice(0, 1));
  }

  /** The engine would write integers of 128 bits as floats. */
  #forParquet(): string {
    const values = this.#keptColumns().map(({ name, type }) => {
      const exact = type.replaceAll(hugeint, found => (found === 'HUGEINT' ? 'DECIMAL(38,0)' : found));
      return exact === type ? quotedName(name) : `CAST(${quotedName(name)} AS ${exact}) AS ${quotedName(name)}`;
    });
    return `SELECT ${values.join(', ')} FROM ${kept}`;
  }

  #keptColumns(): Result['columns'] {
    return this.#rows(`SELECT name, type FROM pragma_table_info('srv result')`).map(([name, type]) => ({
      name: String(name),
      type: String(type),
    }));
  }

  #query(sql: string): Result {
    this.#ask(`CREATE OR REPLACE TEMP TABLE ${kept} AS ${sql}`);
    const columns = this.#keptColumns();
    const [[total] = []] = this.#rows(`SELECT count(*)::DOUBLE FROM ${kept}`);
    // The engine writes values better than code that has only their bytes: decimals, times, nested ones.
    const values = columns.map(({ name, type }) => `${quotedName(name)}${isSmallNumber(type) ? '' : '::VARCHAR'}`);
    const rows = this.#rows(`SELECT ${values.join(', ')} FROM ${kept} LIMIT ${shownRows}`);
    return { columns, rows, total: Number(total), isKept: true };
  }

  #execute(sql: string): Result {
    const table = this.#ask(sql);
    const columns = table.schema.fields.map(({ name, type }) => ({ name, type: String(type) }));
    return { columns, rows: rowsOf(table, shownRows), total: table.numRows, isKept: false };
  }

  #rows(sql: string): Result['rows'] {
    return rowsOf(this.#ask(sql), shownRows);
  }

  #ask(sql: string): Answer {
    return this.#connection.query(sql);
  }

  #contentOf(name: string): Blob {
    const bytes = this.#bindings.copyFileToBuffer(name);
    if (bytes.length === 0) throw new Error('COPY wrote nothing: it must write one file, without PARTITION_BY and PER_THREAD_OUTPUT');
    return new Blob([bytes.slice()]);
  }
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** Also in a type of others, and names in quotes, which may have that word. */
const hugeint = /"[^"]*"|\bHUGEINT\b/g;
const isSmallNumber = (type: string): boolean => /^(?:U?TINYINT|U?SMALLINT|U?INTEGER|DOUBLE|FLOAT)$/.test(type);

function rowsOf(table: Answer, most: number): Result['rows'] {
  const columns = table.schema.fields.map((_, i) => table.getChildAt(i));
  return Array.from({ length: Math.min(table.numRows, most) }, (_, row) => columns.map(column => cellOf(column?.get(row))));
}
