/** Parquet, read by ranges: its footer first, then the pages of the columns and rows that are looked at. */
import { parquetMetadataAsync, parquetSchema } from 'hyparquet';
import { assembleAsync, readRowGroup } from 'hyparquet/src/rowgroup.js';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import { cachedSource } from './byte-source.js';
import { PageIndex } from './page-index.js';
import { withFile } from './parquet-bytes.js';
import { parquetCompressors } from './parquet-compressors.js';
import { factsOf } from './parquet-facts.js';
import { ParquetSchema } from './parquet-schema.js';
import { isNumeric, labelOf, orderOf, orderOfTextOf, parquetText, storedOf, typeName } from './parquet-values.js';
import type { ColumnMetaData, FileMetaData, RowGroup } from 'hyparquet';
import type { ByteSource } from './byte-source.js';
import type { ParquetColumn } from './parquet-schema.js';
import type { Batch, Cell, ColumnFacts, TableColumn, TableFile } from './table-file.js';

/** Bytes from the end that are fetched first. */
const footerSize = 256 * 1024;
/** Values of a batch, of all its columns. */
const batchValues = 2_000_000;
/** Of the oldest kind of time, which the reader always takes apart; others come as they are stored. */
const parsers = { timestampFromNanoseconds: (nanos: bigint) => nanos };

export async function openParquet(source: ByteSource): Promise<TableFile> {
  const cached = await cachedSource(source);
  return withFile(cached, async file => {
    const metadata = await parquetMetadataAsync(file, {
      geoparquet: false,
      initialFetchSize: footerSize,
      parsers: {
        ...parsers,
        stringFromBytes: bytes => bytes,
        dateFromDays: days => days,
        timestampFromMilliseconds: n => n,
        timestampFromMicroseconds: n => n,
      },
    });
    return new ParquetFile(cached, metadata);
  });
}

interface Group {
  readonly rowGroup: RowGroup;
  readonly start: number;
  readonly rows: number;
}

class ParquetFile implements TableFile {
  readonly columns: readonly TableColumn[];
  readonly facts: readonly ColumnFacts[];
  readonly notes = [];
  readonly total: number;
  readonly #source: ByteSource;
  readonly #metadata: FileMetaData;
  readonly #columns: readonly ParquetColumn[];
  readonly #groups: readonly Group[];
  readonly #indexes = new Map<string, PageIndex>();

  constructor(source: ByteSource, metadata: FileMetaData) {
    this.#source = source;
    this.#metadata = metadata;
    this.#columns = new ParquetSchema(metadata.schema).columns;
    this.total = Number(metadata.num_rows);
    let start = 0;
    this.#groups = metadata.row_groups.map(rowGroup => {
      const rows = Number(rowGroup.num_rows);
      start += rows;
      return { rowGroup, start: start - rows, rows };
    });
    if (start !== this.total) throw new Error(`it says that it has ${this.total} rows, and its row groups have ${start}`);
    this.columns = this.#columns.map(({ type }) => {
      const label = labelOf(type);
      const orderOfText = orderOfTextOf(type);
      const stored = storedOf(type);
      return {
        name: type.element.name,
        type: typeName(type),
        isNumeric: isNumeric(type),
        text: value => parquetText(type, value),
        order: orderOf(type),
        label,
        orderOfText,
        stored,
      };
    });
    this.facts = this.#columns.map((column, i) => factsOf(column, this.columns[i]?.order, metadata.row_groups));
  }

  async cells(start: number, end: number, columns: readonly number[]): Promise<Cell[][]> {
    const last = Math.min(end, this.total);
    const rows: Cell[][] = Array.from({ length: Math.max(0, last - start) }, () => []);
    for (const group of this.#groups) {
      const [from, to] = [Math.max(start, group.start), Math.min(last, group.start + group.rows)];
      if (from >= to) continue;
      const read = await Promise.all(columns.map(column => this.#read(group, column, from - group.start, to - group.start)));
      for (const [i, values] of read.entries()) {
        const column = this.columns[columns[i] ?? -1];
        for (let row = from; row < to; row++) rows[row - start]?.push(column?.text(values[row - from]) ?? null);
      }
    }
    return rows;
  }

  async *scan(columns: readonly number[]): AsyncGenerator<Batch> {
    const size = Math.max(1024, Math.floor(batchValues / Math.max(1, columns.length)));
    const ranges = this.#groups.flatMap(group =>
      Array.from({ length: Math.ceil(group.rows / size) }, (_, i) => ({ group, from: i * size, to: Math.min(group.rows, (i + 1) * size) })),
    );
    const read = async (range: (typeof ranges)[number] | undefined): Promise<Batch | undefined> => {
      if (!range) return undefined;
      const { group, from, to } = range;
      const values = await Promise.all(columns.map(column => this.#read(group, column, from, to)));
      const start = group.start + from;
      return { start, count: to - from, values, share: (start + to - from) / this.total };
    };
    // The bytes of the next batch are on their way while this one is looked at.
    let next = read(ranges[0]);
    for (let i = 1; ; i++) {
      const batch = await next;
      if (!batch) return;
      next = read(ranges[i]);
      next.catch(() => undefined);
      yield batch;
    }
  }

  /** Stored values of some rows of a row group. */
  async #read(group: Group, at: number, from: number, to: number): Promise<ArrayLike<unknown>> {
    const column = this.#columns[at];
    if (!column) throw new Error(`this table has no column ${at}`);
    const isWhole = from === 0 && to === group.rows;
    const chunks = await Promise.all(
      column.leaves.map(async ({ place, path }) => {
        const chunk = group.rowGroup.columns[place];
        if (!chunk?.meta_data) throw new Error(`this Parquet file is damaged: a row group has no column ${column.type.element.name}`);
        if (chunk.file_path) throw new Error('columns in other files are not read');
        const columnMetadata: ColumnMetaData = { ...chunk.meta_data, path_in_schema: [...path] };
        const start = Number(columnMetadata.dictionary_page_offset || columnMetadata.data_page_offset);
        const range = { startByte: start, endByte: start + Number(columnMetadata.total_compressed_size) };
        if (isWhole) return { columnMetadata, range };
        const pageLocations = [...(await this.#index(group, column, place, columnMetadata).upTo(to))];
        if (pageLocations.length === 0) throw new Error('this Parquet file is damaged: a column has no pages');
        return { columnMetadata, range, pageLocations };
      }),
    );
    const plan = { chunks, rowGroup: group.rowGroup, groupStart: group.start, groupRows: group.rows, selectStart: from, selectEnd: to };
    const metadata = { ...this.#metadata, schema: [...column.schema] };
    const { data, skipped } = await withFile(this.#source, file => {
      const options = { file, compressors: parquetCompressors, utf8: false, geoparquet: false, parsers };
      const read = readRowGroup(options, { metadata, fetches: [], groups: [], rowStart: 0, rowEnd: 0 }, plan);
      const [assembled] = assembleAsync(read, parquetSchema(metadata), options.parsers).asyncColumns;
      if (!assembled) throw new Error('this Parquet file is damaged: a column is missing');
      return assembled.data;
    });
    return joined(data, from - skipped, to - skipped);
  }

  #index(group: Group, column: ParquetColumn, place: number, meta: ColumnMetaData): PageIndex {
    const name = `${group.start} ${place}`;
    const known = this.#indexes.get(name);
    const chunk = group.rowGroup.columns[place];
    if (known) return known;
    if (!chunk) throw new Error('this Parquet file is damaged: a column is missing');
    const schemaPath = getTreePath(parquetSchema({ ...this.#metadata, schema: [...column.schema] }), meta.path_in_schema);
    const element = schemaPath.at(-1)?.element ?? { name: '' };
    const decoder = {
      ...meta,
      compressors: parquetCompressors,
      element,
      schemaPath,
      pathInSchema: meta.path_in_schema,
      parsers,
    } as unknown as ConstructorParameters<typeof PageIndex>[1]['decoder'];
    const index = new PageIndex(this.#source, { chunk, meta, rows: group.rows, isFlat: isFlatColumn(schemaPath), decoder });
    this.#indexes.set(name, index);
    return index;
  }
}

/** Values from one place to another of several arrays after each other. */
function joined(arrays: readonly ArrayLike<unknown>[], from: number, to: number): ArrayLike<unknown> {
  const [only] = arrays;
  if (arrays.length === 1 && only) return from === 0 && only.length === to ? only : Array.prototype.slice.call(only, from, to);
  const found: unknown[] = [];
  let at = 0;
  for (const array of arrays) {
    const [first, last] = [Math.max(from, at), Math.min(to, at + array.length)];
    for (let i = first; i < last; i++) found.push(array[i - at]);
    at += array.length;
  }
  return found;
}
