/** CSV and TSV as a table. */
import { memorySource } from './byte-source.js';
import { bestDelimiter, parseRecords, readRecord } from './delimited.js';
import { DelimitedEnds } from './record-blocks.js';
import { RecordFile } from './record-file.js';
import { decodeText, encodingNote, hasUtf8Mark, utf8MarkLength } from './text-encoding.js';
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
  const { delimiter, names, start, notes: ofHeader } = await headerOf(source);
  const opened = new RecordFile(source, new TextRecords(new DelimitedFormat(delimiter, names, start)), [...notes, ...ofHeader]);
  // As many columns as the first rows have.
  await opened.cells(0, 1, []);
  return opened;
}

interface Header {
  readonly delimiter: string;
  readonly names: string[];
  /** Of the first row. */
  readonly start: number;
  /** What people should know about how the names were read. */
  readonly notes: readonly string[];
}

/** The first record names the columns. Empty lines before it are not rows. */
async function headerOf(source: ByteSource): Promise<Header> {
  for (let size = headSize; ; size *= 4) {
    const bytes = await source.read(0, Math.min(source.size, size));
    const isCut = bytes.length < source.size;
    const decoded = decodeText(bytes, isCut);
    const delimiter = bestDelimiter(decoded.text);
    const { from, end } = headerPlace(bytes, delimiter);
    if (end >= bytes.length && isCut && size < mostHeader) continue;
    if (end >= bytes.length && isCut) throw new Error('the first line is too long for a header');
    const { record } = readRecord(decoded.text, lineEndsAt(decoded.text, 0), delimiter);
    const names = decoded.text === '' ? [] : record;
    const note = headerNote(bytes.subarray(from, end), decoded.encoding, names);
    return { delimiter, names, start: Math.min(source.size, end), notes: note === undefined ? [] : [note] };
  }
}

/** Places of the first byte of the header and of the one after its line end. */
function headerPlace(bytes: Uint8Array, delimiter: string): { readonly from: number; readonly end: number } {
  // A character for each byte: what separates fields and records is ASCII, and damaged characters keep their length.
  const text = new TextDecoder('windows-1252').decode(bytes);
  const from = lineEndsAt(text, hasUtf8Mark(bytes) ? utf8MarkLength : 0);
  return { from, end: readRecord(text, from, delimiter).end };
}

/** @returns the place after the line ends that begin at `start`. */
function lineEndsAt(text: string, start: number): number {
  let end = start;
  while (text[end] === '\r' || text[end] === '\n') end++;
  return end;
}

/** @param encoding of the text that the header begins. */
function headerNote(header: Uint8Array, encoding: string, names: readonly string[]): string | undefined {
  const alone = decodeText(header);
  if (alone.encoding === 'utf-8' && alone.wrong === 0) return undefined;
  return encodingNote({ text: '', encoding, wrong: names.join('').split('\ufffd').length - 1 });
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
