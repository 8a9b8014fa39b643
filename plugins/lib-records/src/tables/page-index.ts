/** Where the pages of a column chunk are (format: Parquet's PageHeader), found as far as rows are asked for. */
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage, readDataPage } from 'hyparquet/src/datapage.js';
import { readOffsetIndex } from 'hyparquet/src/indexes.js';
import type { ColumnChunk, ColumnMetaData, PageHeader } from 'hyparquet';
import type { ByteSource } from './byte-source.js';

/** As the reader of Parquet takes them. */
export interface PageLocation {
  offset: bigint;
  compressed_page_size: number;
  first_row_index: bigint;
}

type Decoder = Parameters<typeof readDataPage>[2];

export interface IndexedChunk {
  readonly chunk: ColumnChunk;
  readonly meta: ColumnMetaData;
  /** Rows of the row group. */
  readonly rows: number;
  /** Rows and values are the same. */
  readonly isFlat: boolean;
  readonly decoder: Decoder;
}

/** Bytes of a header, which may hold the least and greatest value of its page. */
const headerSizes = [512, 16 * 1024, 1024 * 1024, 64 * 1024 * 1024];

export class PageIndex {
  readonly #source: ByteSource;
  readonly #chunk: IndexedChunk;
  readonly #pages: PageLocation[] = [];
  /** Rows in `#pages`, and the byte after them. */
  #rows = 0;
  #at: number;
  readonly #end: number;
  #reading: Promise<void> = Promise.resolve();

  constructor(source: ByteSource, chunk: IndexedChunk) {
    const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size } = chunk.meta;
    this.#source = source;
    this.#chunk = chunk;
    this.#at = Number(data);
    this.#end = Number(dictionary || data) + Number(size);
  }

  /** Pages from the first to the one with the last row before `row`. */
  async upTo(row: number): Promise<readonly PageLocation[]> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#find(row));
    await this.#reading;
    return this.#pages;
  }

  async #find(row: number): Promise<void> {
    const { offset_index_offset: offset, offset_index_length: length } = this.#chunk.chunk;
    if (this.#pages.length === 0 && offset && length) {
      const bytes = await this.#source.read(Number(offset), Number(offset) + length);
      this.#pages.push(...readOffsetIndex({ view: new DataView(bytes.buffer), offset: 0 }).page_locations);
      this.#rows = this.#chunk.rows;
    }
    while (this.#rows < row && this.#at < this.#end) await this.#next();
  }

  async #next(): Promise<void> {
    const { header, length } = await this.#header();
    const [start, size] = [this.#at, length + header.compressed_page_size];
    if (header.compressed_page_size < 0 || start + size > this.#end)
      throw new Error('this Parquet file is damaged: a page ends outside of its column');
    this.#at += size;
    if (header.type !== 'DATA_PAGE' && header.type !== 'DATA_PAGE_V2') return;
    const { begun, isContinued } = await this.#rowsOf(header, start + length);
    const last = this.#pages.at(-1);
    // A row that continues in this page cannot be read without it.
    if (isContinued && last) last.compressed_page_size += size;
    else this.#pages.push({ offset: BigInt(start), compressed_page_size: size, first_row_index: BigInt(this.#rows) });
    this.#rows += begun;
  }

  async #header(): Promise<{ readonly header: PageHeader; readonly length: number }> {
    for (const size of headerSizes) {
      const bytes = await this.#source.read(this.#at, Math.min(this.#end, this.#at + size));
      const reader = { view: new DataView(bytes.buffer), offset: 0 };
      try {
        return { header: parquetHeader(reader), length: reader.offset };
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    throw new Error('this Parquet file is damaged: a header of a page does not end');
  }

  /** Rows that begin in a page. */
  async #rowsOf(header: PageHeader, start: number): Promise<{ readonly begun: number; readonly isContinued: boolean }> {
    const { data_page_header: first, data_page_header_v2: second } = header;
    if (second) return { begun: second.num_rows, isContinued: false };
    if (!first) throw new Error('this Parquet file is damaged: a page has no header');
    if (this.#chunk.isFlat) return { begun: first.num_values, isContinued: false };
    const compressed = await this.#source.read(start, start + header.compressed_page_size);
    const { codec, compressors } = this.#chunk.decoder;
    const bytes = decompressPage(compressed, header.uncompressed_page_size, codec, compressors);
    const { repetitionLevels } = readDataPage(bytes, first, this.#chunk.decoder);
    if (repetitionLevels.length === 0) return { begun: first.num_values, isContinued: false };
    return { begun: repetitionLevels.filter(level => level === 0).length, isContinued: repetitionLevels[0] !== 0 };
  }
}
