/** CSV and TSV as a table. */
import { memorySource } from './byte-source.js';
import { bestDelimiter, parseRecords, readRecord } from './delimited.js';
import { DelimitedEnds } from './record-blocks.js';
import { RecordFile } from './record-file.js';
import { decodeText } from './text-encoding.js';
import { TextRecords } from './text-records.js';
import type { ByteSource } from './byte-source.js';
import type { Cell, TableFile } from './table-file.js';

/** Bytes that the delimiter and the header are found in. */
const headSize = 256 * 1024;
const mostHeader = 64 * 1024 * 1024;
/** UTF-16 is converted in memory. */
const mostUtf16 = 256 * 1024 * 1024;

export async function openDelimited(file: ByteSource): Promise<TableFile> {
  const { source, notes } = await asUtf8(file);
  const { delimiter, names, start } = await headerOf(source);
  const opened = new RecordFile(source, new TextRecords(new DelimitedFormat(delimiter, names, start)), notes);
  // As many columns as the first rows have.
  await opened.cells(0, 1, []);
  return opened;
}

interface Header {
  readonly delimiter: string;
  readonly names: string[];
  /** Of the first row. */
  readonly start: number;
}

/** The first record names the columns. */
async function headerOf(source: ByteSource): Promise<Header> {
  for (let size = headSize; ; size *= 4) {
    const bytes = await source.read(0, Math.min(source.size, size));
    const isCut = bytes.length < source.size;
    const { text, encoding } = decodeText(bytes, isCut);
    const delimiter = bestDelimiter(text);
    const lineEnds = /^[\r\n]*/.exec(text)?.[0].length ?? 0;
    const { record, end } = readRecord(text, lineEnds, delimiter);
    if (end >= text.length && isCut && size < mostHeader) continue;
    if (end >= text.length && isCut) throw new Error('the first line is too long for a header');
    // A mark of the byte order is not part of the text.
    const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    const length = encoding === 'utf-8' ? new TextEncoder().encode(text.slice(0, end)).length : Math.min(end, text.length);
    return { delimiter, names: text === '' ? [] : record, start: Math.min(source.size, mark + length) };
  }
}

/** UTF-16 has zeros where the ends of records are looked for. */
async function asUtf8(source: ByteSource): Promise<{ readonly source: ByteSource; readonly notes: readonly string[] }> {
  const mark = await source.read(0, Math.min(source.size, 2));
  const { encoding } = decodeText(mark, true);
  if (!encoding.startsWith('utf-16')) return { source, notes: [] };
  if (source.size > mostUtf16) throw new Error('a text in UTF-16 of this size cannot be shown as a table; convert it to UTF-8');
  const { text } = decodeText(await source.read(0, source.size));
  return { source: memorySource(new TextEncoder().encode(text)), notes: [`The text is ${encoding.toUpperCase()}.`] };
}

class DelimitedFormat {
  readonly start: number;
  readonly names: string[];
  readonly #delimiter: string;

  constructor(delimiter: string, names: string[], start: number) {
    this.#delimiter = delimiter;
    this.names = names;
    this.start = start;
  }

  ends(): DelimitedEnds {
    return new DelimitedEnds(this.#delimiter);
  }

  rows(text: string): readonly (readonly Cell[])[] {
    const records = parseRecords(text, this.#delimiter);
    const width = records.reduce((widest, record) => Math.max(widest, record.length), 0);
    for (let i = this.names.length; i < width; i++) this.names.push(`(column ${i + 1})`);
    return records;
  }
}
