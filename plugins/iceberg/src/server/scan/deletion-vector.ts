/**
 * Deletion vectors: positions of deleted rows of one data file, as a 64-bit Roaring bitmap within a Puffin file. Every byte is hostile.
 * The blob is `u32 BE length, D1 D3 39 64, bitmap, u32 BE CRC-32`; the bitmap has a 32-bit Roaring bitmap in the portable format for
 * each key of the upper 32 bits.
 */
import { crc32 } from 'node:zlib';
import { SrvError } from '@srv/kernel';

const magic = Buffer.from([0xd1, 0xd3, 0x39, 0x64]);
const [cookie, cookieWithRuns] = [12_346, 12_347];
/** Containers have their offsets where none is a run, and where there are at least four. */
const leastOffsets = 4;
const bitmapWords = 1024;
/** Of one vector. */
const maxPositions = 1_000_000;

/** @param blob as the manifest says where it is. @throws SrvError `invalid`. */
export function positionsOf(blob: Buffer): number[] {
  if (blob.length < 12 || blob.readUInt32BE(0) !== blob.length - 8 || !blob.subarray(4, 8).equals(magic)) throw damaged('it is not one');
  if (crc32(blob.subarray(4, -4)) !== blob.readUInt32BE(blob.length - 4)) throw damaged('its checksum differs');
  const reader = new Reader(blob.subarray(8, -4));
  const found: number[] = [];
  const [count, more] = [reader.u32(), reader.u32()];
  if (more !== 0) throw damaged('it has too many parts');
  for (let i = 0; i < count; i++) {
    const high = reader.u32();
    // A file with more rows than a double counts does not exist.
    if (high >= 1 << 20) throw damaged('a position is too large');
    addBitmap(reader, high * 2 ** 32, found);
  }
  return found;
}

function addBitmap(reader: Reader, base: number, found: number[]): void {
  const first = reader.u32();
  const hasRuns = (first & 0xffff) === cookieWithRuns;
  if (!hasRuns && first !== cookie) throw damaged('a part of it is not a bitmap');
  const containers = hasRuns ? (first >>> 16) + 1 : reader.u32();
  if (containers > 65_536) throw damaged('a part of it has too many containers');
  const runFlags = hasRuns ? reader.bytes((containers + 7) >> 3) : undefined;
  const heads = Array.from({ length: containers }, () => ({ key: reader.u16(), size: reader.u16() + 1 }));
  if (!hasRuns || containers >= leastOffsets) reader.bytes(4 * containers);
  for (const [i, { key, size }] of heads.entries()) {
    const from = base + key * 65_536;
    if (found.length + size > maxPositions) throw damaged(`it has more than ${maxPositions} rows; compact the table`);
    if (runFlags && ((runFlags[i >> 3] ?? 0) >> (i & 7)) & 1) {
      for (let runs = reader.u16(); runs > 0; runs--) {
        const [start, length] = [reader.u16(), reader.u16()];
        if (start + length > 65_535 || found.length + length > maxPositions)
          throw damaged(`a run of it is too long, or it has more than ${maxPositions} rows`);
        for (let at = start; at <= start + length; at++) found.push(from + at);
      }
    } else if (size <= 4096) for (let n = 0; n < size; n++) found.push(from + reader.u16());
    else
      for (let word = 0; word < bitmapWords * 2; word++) {
        const bits = reader.u32();
        for (let bit = 0; bit < 32; bit++) if ((bits >>> bit) & 1) found.push(from + word * 32 + bit);
      }
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  bytes(count: number): Buffer {
    if (count > this.#bytes.length - this.#at) throw damaged('it ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  u16(): number {
    return this.bytes(2).readUInt16LE();
  }

  u32(): number {
    return this.bytes(4).readUInt32LE();
  }
}

function damaged(problem: string): SrvError {
  return new SrvError('invalid', `a deletion vector cannot be read: ${problem}`);
}
