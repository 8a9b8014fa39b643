/** Messages of an Arrow file or stream (format: Columnar.rst of Apache Arrow, "Serialization and Interprocess Communication"). */
import { ArrowError } from './error.js';
import { FlatTable } from './flatbuffer.js';
import type { ByteSource } from '../byte-source.js';
import type { BufferPlace, Compression } from './body.js';

const continuation = 0xffffffff;
const mostMetadata = 256 * 1024 * 1024;
const mostRows = 2 ** 32 - 2;

interface Message {
  /** Numbers of the union `MessageHeader`. */
  readonly kind: number;
  readonly header: FlatTable;
  /** Before version 5 of the format. */
  readonly isOld: boolean;
  /** Of the body, in the file. */
  readonly body: BufferPlace;
}

export const messageKinds = { schema: 1, dictionary: 2, batch: 3 } as const;

/** @returns the message that begins at a place; `undefined` at the end of a stream. */
export async function messageAt(source: ByteSource, at: number): Promise<Message | undefined> {
  if (at + 8 > source.size) return undefined;
  const start = await source.read(at, at + 8);
  const view = new DataView(start.buffer, start.byteOffset);
  // Streams of the oldest versions have no mark before the length.
  const isMarked = view.getUint32(0, true) === continuation;
  const length = view.getUint32(isMarked ? 4 : 0, true);
  if (length === 0) return undefined;
  const from = at + (isMarked ? 8 : 4);
  if (length > mostMetadata || from + length > source.size) throw new ArrowError('it ends within a message');
  const message = FlatTable.root(await source.read(from, from + length));
  const header = message.table(2);
  if (!header) throw new ArrowError('a message of it is empty');
  const body = { offset: from + length, length: message.long(3) };
  if (body.offset + body.length > source.size) throw new ArrowError('it ends within a message');
  return { kind: message.byte(1), header, isOld: message.short(0) < 4, body };
}

/** Columns next to each other, as a batch or a dictionary has them. */
export interface BatchLayout {
  readonly rows: number;
  /** Rows of each field and of those below it, in the order of the schema. */
  readonly nodes: readonly number[];
  readonly buffers: readonly BufferPlace[];
  /** Further buffers of columns of views. */
  readonly variadic: readonly number[];
  readonly compression: Compression;
  /** Before version 5 of the format. */
  readonly isOld: boolean;
}

export function batchLayout(batch: FlatTable, isOld: boolean): BatchLayout {
  const compression = batch.table(3);
  const rows = batch.long(0);
  if (rows > mostRows) throw new ArrowError(`a batch of it has ${rows} rows`);
  return {
    rows,
    nodes: batch.structs(1, 2).map(([length = 0]) => length),
    buffers: batch.structs(2, 2).map(([offset = 0, length = 0]) => ({ offset, length })),
    variadic: batch.longs(4),
    compression: compression && (compression.byte(0) === 1 ? 'zstd' : 'lz4'),
    isOld,
  };
}
