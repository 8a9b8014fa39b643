/** Avro files: a header with the schema, then blocks of records, each perhaps compressed. */

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { parseSchema } from '@srv/lib-records/tables/avro/schema';
import { unpackZstd } from '../storage/packed.js';
import { Cursor } from './cursor.js';
import type { AvroRecord } from '@srv/lib-records/tables/avro/schema';

const magic = Buffer.from('Obj\u0001', 'latin1');
const syncBytes = 16;
/** Bytes of the largest block, unpacked. */
const maxBlock = 64 << 20;
/** Entries of a header. */
const maxHeader = 1000;
/** Bytes of a block that is written, and of one that is short enough to be left as it is. */
const blockBytes = 64 << 10;

const inflate = promisify(inflateRaw);
const deflate = promisify(deflateRaw);

export interface AvroFile {
  readonly schema: AvroRecord;
  /** The schema as text, and what else the writer noted. */
  readonly metadata: ReadonlyMap<string, Buffer>;
  /** Calls `visit` for each record with a cursor at its beginning; it must leave the cursor at its end. */
  each(visit: (cursor: Cursor) => void): Promise<void>;
}

/** @throws AvroError. */
export function openAvro(bytes: Buffer): AvroFile {
  if (!bytes.subarray(0, magic.length).equals(magic)) throw new AvroError('it is not an Avro file');
  const cursor = new Cursor(bytes.subarray(magic.length));
  const metadata = new Map<string, Buffer>();
  for (let count = cursor.small(); count !== 0; count = cursor.small()) {
    if (count < 0) cursor.small();
    for (let i = Math.abs(count); i > 0; i--) {
      if (metadata.size >= maxHeader) throw new AvroError('its header has too many entries');
      const name = cursor.take(cursor.small()).toString('utf8');
      metadata.set(name, cursor.take(cursor.small()));
    }
  }
  const schema = parseSchema(metadata.get('avro.schema')?.toString('utf8') ?? '');
  const codec = metadata.get('avro.codec')?.toString('latin1') ?? 'null';
  if (!isCodec(codec))
    throw new AvroError(
      `it is compressed with ${codec.slice(0, 40)}; only deflate (gzip) and zstandard are read, which engines use by default`,
    );
  const sync = cursor.take(syncBytes);
  return { schema, metadata, each: visit => eachRecord(cursor, { sync, codec }, visit) };
}

async function eachRecord(
  cursor: Cursor,
  { sync, codec }: { readonly sync: Buffer; readonly codec: Codec },
  visit: (cursor: Cursor) => void,
): Promise<void> {
  while (!cursor.isDone) {
    const count = cursor.small();
    const packed = cursor.take(cursor.small());
    if (!cursor.take(syncBytes).equals(sync)) throw new AvroError('a block of it is damaged');
    const block = await unpacked(packed, codec);
    if (count < 0 || count > block.length) throw new AvroError('a block of it claims more records than it has bytes');
    await visitBlock(new Cursor(block), count, visit);
  }
}

const codecs = {
  null: async packed => packed,
  deflate: packed => inflate(packed, { maxOutputLength: maxBlock }),
  zstandard: packed => unpackZstd(packed, maxBlock),
} satisfies Readonly<Record<string, (packed: Buffer) => Promise<Buffer>>>;

type Codec = keyof typeof codecs;

function isCodec(name: string): name is Codec {
  return Object.hasOwn(codecs, name);
}

async function unpacked(packed: Buffer, codec: Codec): Promise<Buffer> {
  try {
    return await codecs[codec](packed);
  } catch (error) {
    throw new AvroError(`a block of it is damaged, or has more than ${maxBlock >> 20} MiB`, { cause: error });
  }
}

/** Milliseconds without a break. */
const longestRun = 10;

async function visitBlock(cursor: Cursor, count: number, visit: (cursor: Cursor) => void): Promise<void> {
  let since = performance.now();
  for (let i = 0; i < count; i++) {
    visit(cursor);
    if ((i & 63) !== 63 || performance.now() - since < longestRun) continue;
    await new Promise(resolve => setImmediate(resolve));
    since = performance.now();
  }
  if (!cursor.isDone) throw new AvroError('a block of it has bytes after its last record');
}

/** Of a schema that Iceberg knows by ids. */
export const field = (id: number, name: string, type: unknown): object => ({ name, type, 'field-id': id });

/** A whole file. @param metadata without codec; `avro.schema` is needed. */
export async function writeAvro(metadata: ReadonlyMap<string, Buffer>, sync: Buffer, records: readonly Buffer[]): Promise<Buffer> {
  const header = new Map([...metadata, ['avro.codec', Buffer.from('deflate')]]);
  const entries = [...header].flatMap(([name, value]) => [framed(Buffer.from(name)), framed(value)]);
  const pieces = [magic, encodedLong(header.size), ...entries, encodedLong(0), sync];
  for (let from = 0; from < records.length; ) {
    let [to, length] = [from, 0];
    while (to < records.length && length < blockBytes) length += records[to++]?.length ?? 0;
    const block = await deflate(Buffer.concat(records.slice(from, to)));
    pieces.push(encodedLong(to - from), encodedLong(block.length), block, sync);
    from = to;
  }
  return Buffer.concat(pieces);
}

/** Bytes with their length in front. */
export function framed(bytes: Buffer): Buffer {
  return Buffer.concat([encodedLong(bytes.length), bytes]);
}

export function encodedLong(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
