/** The entries of a range by column (format.md, "Ranges"). Every byte is hostile. */
import { endianness } from 'node:os';
import { SrvError } from '@srv/kernel/errors';
import { compressSync, uncompress } from 'snappy';

export const columnNames = ['path', 'size', 'modified', 'etag', 'type', 'metadata'] as const;
type ColumnName = (typeof columnNames)[number];
export type NumberColumn = 'size' | 'modified';
export type TextColumn = Exclude<ColumnName, NumberColumn>;

const magic = 'srvsi001';
const columnsAt = 52;
export const headBytes = columnsAt + columnNames.length * 8;
/** Largest column that a reader unpacks. A range of 20 MB has fewer bytes in all of them. */
const maxColumnBytes = 1 << 30;
/** A Snappy copy of three bytes yields at most 64 bytes. */
const maxRatio = 32;

/** Where a column lies in its file. */
interface Placed {
  readonly start: number;
  /** Bytes. */
  readonly stored: number;
  readonly unpacked: number;
}

/** What the first bytes of a file say. */
export interface ColumnsHead {
  readonly count: number;
  /** Sum of the sizes, in bytes. */
  readonly bytes: number;
  readonly sizes: Bounds;
  readonly times: Bounds;
  readonly columns: Readonly<Record<ColumnName, Placed>>;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Texts of a column, one after the other. */
export class Texts {
  readonly bytes: Buffer;
  readonly #ends: Uint32Array;

  constructor(bytes: Buffer, ends: Uint32Array) {
    this.bytes = bytes;
    this.#ends = ends;
  }

  start(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
  }

  end(at: number): number {
    return this.#ends[at] ?? 0;
  }

  text(at: number): string {
    return this.bytes.toString('utf8', this.start(at), this.end(at));
  }

  bytesAt(at: number): Buffer {
    return this.bytes.subarray(this.start(at), this.end(at));
  }

  /** Like `Buffer.compare` of the text and `other`. */
  compare(at: number, other: Buffer): number {
    return this.bytes.compare(other, 0, other.length, this.start(at), this.end(at));
  }
}

export interface RangeColumns {
  readonly texts: Readonly<Record<TextColumn, { readonly bytes: Buffer; readonly ends: Uint32Array }>>;
  readonly numbers: Readonly<Record<NumberColumn, Float64Array>>;
}

/** The whole file. */
export function encodeColumns({ texts, numbers }: RangeColumns): Buffer {
  const head = Buffer.alloc(headBytes);
  const count = numbers.size.length;
  head.write(magic, 'latin1');
  head.writeUInt32LE(count, 8);
  head.writeDoubleLE(
    numbers.size.reduce((sum, size) => sum + size, 0),
    12,
  );
  for (const [i, name] of (['size', 'modified'] as const).entries()) {
    const { min, max } = boundsOf(numbers[name]);
    head.writeDoubleLE(min, 20 + 16 * i);
    head.writeDoubleLE(max, 28 + 16 * i);
  }
  const parts = columnNames.map((name, i) => {
    const plain =
      name === 'size' || name === 'modified'
        ? littleEndian(numbers[name])
        : Buffer.concat([littleEndian(texts[name].ends), texts[name].bytes]);
    const packed = compressSync(plain);
    const stored = packed.length < plain.length ? packed : plain;
    head.writeUInt32LE(stored.length, columnsAt + 8 * i);
    head.writeUInt32LE(plain.length, columnsAt + 8 * i + 4);
    return stored;
  });
  return Buffer.concat([head, ...parts]);
}

/** @param size of the file, in bytes; `undefined`: not known. @throws SrvError `corrupt`. */
export function decodeHead(head: Buffer, name: string, size?: number): ColumnsHead {
  if (head.length < headBytes || head.toString('latin1', 0, magic.length) !== magic) throw damaged(name, `it does not begin with ${magic}`);
  const count = head.readUInt32LE(8);
  const columns: Partial<Record<ColumnName, Placed>> = {};
  let start = headBytes;
  for (const [i, column] of columnNames.entries()) {
    const [stored, unpacked] = [head.readUInt32LE(columnsAt + 8 * i), head.readUInt32LE(columnsAt + 8 * i + 4)];
    const isNumber = column === 'size' || column === 'modified';
    if (unpacked > maxColumnBytes || stored > unpacked || unpacked > stored * maxRatio)
      throw damaged(name, `its column ${column} is said to grow from ${stored} to ${unpacked} bytes`);
    if (isNumber ? unpacked !== 8 * count : unpacked < 4 * count)
      throw damaged(name, `its column ${column} of ${unpacked} bytes is not one of ${count} entries`);
    columns[column] = { start, stored, unpacked };
    start += stored;
  }
  if (size !== undefined && size !== start) throw damaged(name, `it has ${size} bytes, not ${start}`);
  return {
    count,
    bytes: head.readDoubleLE(12),
    sizes: { min: head.readDoubleLE(20), max: head.readDoubleLE(28) },
    times: { min: head.readDoubleLE(36), max: head.readDoubleLE(44) },
    columns: columns as Readonly<Record<ColumnName, Placed>>,
  };
}

/** @param stored the bytes that `placed` names. @throws SrvError `corrupt`. */
export async function decodeNumbers(stored: Buffer, placed: Placed, name: string): Promise<Float64Array> {
  const bytes = await unpack(stored, placed, name);
  return new Float64Array(aligned(bytes, 8));
}

/** @throws SrvError `corrupt`. */
export async function decodeTexts(stored: Buffer, { placed, count }: { placed: Placed; count: number }, name: string): Promise<Texts> {
  const bytes = await unpack(stored, placed, name);
  const ends = new Uint32Array(aligned(bytes.subarray(0, 4 * count), 4));
  const texts = bytes.subarray(4 * count);
  let last = 0;
  for (const end of ends) {
    if (end < last) throw damaged(name, 'the end of a text lies before its beginning');
    last = end;
  }
  if (last !== texts.length) throw damaged(name, `its texts end at ${last}, not at ${texts.length}`);
  return new Texts(texts, ends);
}

async function unpack(stored: Buffer, placed: Placed, name: string): Promise<Buffer> {
  if (stored.length !== placed.stored) throw damaged(name, `a column has ${stored.length} bytes, not ${placed.stored}`);
  if (placed.stored === placed.unpacked) return stored;
  let bytes: Buffer;
  try {
    bytes = (await uncompress(stored, { asBuffer: true })) as Buffer;
  } catch (error) {
    throw damaged(name, 'a column cannot be unpacked', error);
  }
  if (bytes.length !== placed.unpacked) throw damaged(name, `a column unpacks to ${bytes.length} bytes, not ${placed.unpacked}`);
  return bytes;
}

function damaged(name: string, problem: string, cause?: unknown): SrvError {
  return new SrvError('corrupt', `index file ${name}: ${problem}; \`cli search rebuild\` makes it again`, { cause });
}

function boundsOf(numbers: Float64Array): Bounds {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    if (number < min) min = number;
    if (number > max) max = number;
  }
  return { min, max };
}

/** A copy in this machine's order of bytes, at an address that arrays of numbers accept. */
function aligned(bytes: Buffer, width: 4 | 8): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  Buffer.from(copy).set(bytes);
  if (endianness() === 'BE') swap(Buffer.from(copy), width);
  return copy;
}

function littleEndian(numbers: Float64Array | Uint32Array): Buffer {
  const bytes = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return endianness() === 'BE' ? swap(Buffer.from(bytes), numbers.BYTES_PER_ELEMENT === 8 ? 8 : 4) : bytes;
}

function swap(bytes: Buffer, width: 4 | 8): Buffer {
  return width === 8 ? bytes.swap64() : bytes.swap32();
}
