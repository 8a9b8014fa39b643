/** Avro as a table: fields of the records are columns. Blocks are read one after the other; nothing says where they are. */
import { decompressSnappy } from 'hyparquet-compressors';
import { AvroCursor } from './avro/cursor.js';
import { AvroError } from './avro/error.js';
import { parseSchema } from './avro/schema.js';
import { avroColumn, readStored } from './avro/values.js';
import { RecordFile } from './record-file.js';
import { unpackZstd } from './zstd.js';
import type { AvroRecord } from './avro/schema.js';
import type { ByteSource } from './byte-source.js';
import type { RecordBlock, RecordFormat } from './record-file.js';
import type { TableColumn, TableFile } from './table-file.js';

const syncBytes = 16;
/** Bytes that the header is looked for in, at first and at most. */
const headSize = 256 * 1024;
const mostHeader = 16 * 1024 * 1024;
const mostEntries = 1000;
/** Bytes that are fetched at once. */
const step = 1024 * 1024;
/** Bytes of a block, packed and unpacked. */
const mostBlock = 256 * 1024 * 1024;
/** Blocks are taken together up to these bytes, unpacked. */
const together = 4 * 1024 * 1024;
/** Bytes of a count and a length. */
const mostFrame = 20;

export async function openAvroTable(source: ByteSource): Promise<TableFile> {
  try {
    const format = new AvroFormat(await headerOf(source));
    const opened = new RecordFile(source, format, []);
    await opened.cells(0, 1, []);
    return opened;
  } catch (error) {
    throw named(error);
  }
}

/** The words of errors follow the name of a file. */
function named(error: unknown): unknown {
  return error instanceof AvroError ? new Error(`this Avro file cannot be read: ${error.message}`, { cause: error }) : error;
}

interface Header {
  readonly schema: AvroRecord;
  readonly codec: string;
  readonly sync: Uint8Array;
  /** Of the first block. */
  readonly start: number;
}

async function headerOf(source: ByteSource): Promise<Header> {
  for (let size = headSize; ; size *= 8) {
    const bytes = await source.read(0, Math.min(source.size, size));
    try {
      return headerIn(bytes);
    } catch (error) {
      if (bytes.length >= source.size || size >= mostHeader || !(error instanceof AvroError)) throw error;
    }
  }
}

function headerIn(bytes: Uint8Array): Header {
  if (![0x4f, 0x62, 0x6a, 1].every((byte, i) => bytes[i] === byte)) throw new AvroError('it is not an Avro file');
  const cursor = new AvroCursor(bytes.subarray(4));
  const metadata = new Map<string, Uint8Array>();
  cursor.items('map', name => {
    if (metadata.size >= mostEntries) throw new AvroError('its header has too many entries');
    metadata.set(textOf(name), cursor.take(cursor.small()));
  });
  const sync = cursor.take(syncBytes);
  const codec = textOf(metadata.get('avro.codec')) || 'null';
  if (!Object.hasOwn(codecs, codec))
    throw new AvroError(`it is compressed with ${codec.slice(0, 40)}; what is read is ${Object.keys(codecs).join(', ')}`);
  return { schema: parseSchema(textOf(metadata.get('avro.schema'))), codec, sync, start: 4 + cursor.at };
}

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

const codecs: Readonly<Record<string, (packed: Uint8Array) => Promise<Uint8Array> | Uint8Array>> = {
  null: packed => packed,
  deflate: inflated,
  snappy: packed => {
    // The checksum after it is of the unpacked bytes.
    const body = packed.subarray(0, Math.max(0, packed.length - 4));
    const length = new SnappyLength(body).value;
    if (length > mostBlock) throw tooLarge();
    return decompressSnappy(body, length);
  },
  zstandard: packed => unpackZstd(packed, mostBlock),
};

const tooLarge = (): AvroError => new AvroError(`a block of it has more than ${mostBlock >> 20} MiB`);

/** The length that a block of Snappy begins with. */
class SnappyLength {
  readonly value: number;

  constructor(bytes: Uint8Array) {
    let [value, factor] = [0, 1];
    for (const byte of bytes.subarray(0, 5)) {
      value += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte < 0x80) break;
    }
    this.value = value;
  }
}

async function inflated(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(packed)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > mostBlock) {
      await reader.cancel();
      throw tooLarge();
    }
    pieces.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

class AvroFormat implements RecordFormat {
  readonly start: number;
  readonly columns: readonly TableColumn[];
  readonly #header: Header;

  constructor(header: Header) {
    this.#header = header;
    this.start = header.start;
    this.columns = header.schema.fields.map(({ name, type }) => avroColumn(name, type));
  }

  async *blocks(source: ByteSource, from: number): AsyncGenerator<RecordBlock> {
    let rows: (readonly unknown[])[] = [];
    let [offset, unpacked] = [from, 0];
    try {
      for await (const { count, packed, end } of packedBlocks(source, from, this.#header.sync)) {
        const bytes = await this.#unpack(packed);
        this.#read(bytes, count, rows);
        unpacked += bytes.length;
        const isLast = end >= source.size;
        if (unpacked < together && !isLast) continue;
        yield { offset, end, rows, isLast };
        [offset, unpacked, rows] = [end, 0, []];
      }
    } catch (error) {
      throw named(error);
    }
  }

  async #unpack(packed: Uint8Array): Promise<Uint8Array> {
    try {
      return await (codecs[this.#header.codec] ?? inflated)(packed);
    } catch (error) {
      throw error instanceof AvroError ? error : new AvroError('a block of it is damaged', { cause: error });
    }
  }

  #read(bytes: Uint8Array, count: number, rows: (readonly unknown[])[]): void {
    const { fields } = this.#header.schema;
    const cursor = new AvroCursor(bytes);
    for (let i = 0; i < count; i++) {
      cursor.count();
      rows.push(fields.map(({ type }) => readStored(cursor, type)));
    }
    if (!cursor.isDone) throw new AvroError('a block of it has bytes after its last record');
  }
}

interface PackedBlock {
  /** Records. */
  readonly count: number;
  readonly packed: Uint8Array;
  /** Place after it. */
  readonly end: number;
}

/** @param from where a block begins. */
async function* packedBlocks(source: ByteSource, from: number, sync: Uint8Array): AsyncGenerator<PackedBlock> {
  let at = from;
  let window: Uint8Array = new Uint8Array();
  /** Makes the window reach as far, if the file does. */
  const reach = async (length: number): Promise<void> => {
    if (window.length >= length || at + window.length >= source.size) return;
    const begin = at + window.length;
    const more = await source.read(begin, Math.min(source.size, begin + Math.max(step, length - window.length)));
    const joined = new Uint8Array(window.length + more.length);
    joined.set(window);
    joined.set(more, window.length);
    window = joined;
  };
  while (at < source.size) {
    await reach(mostFrame);
    const cursor = new AvroCursor(window);
    const [count, size] = [cursor.small(), cursor.small()];
    if (count < 0 || size < 0) throw new AvroError('a block of it is damaged');
    if (size > mostBlock) throw tooLarge();
    const length = cursor.at + size + syncBytes;
    await reach(length);
    if (window.length < length) throw new AvroError('it ends within a block');
    const packed = window.subarray(cursor.at, cursor.at + size);
    if (!sync.every((byte, i) => window[length - syncBytes + i] === byte)) throw new AvroError('a block of it is damaged');
    at += length;
    window = window.subarray(length);
    yield { count, packed, end: at };
  }
}
