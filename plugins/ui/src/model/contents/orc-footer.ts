/** The footer of an ORC file (specification of ORC v1): a postscript of up to 255 bytes at its end says where it is. */
import { unpackZstd } from '@srv/lib-records/tables/zstd';
import { fieldsOf } from './protobuf-fields.js';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FieldValue } from './protobuf-fields.js';

interface OrcFooter {
  readonly fields: ReadonlyMap<number, readonly FieldValue[]>;
  readonly compression: string;
}

/** Bytes of a footer, unpacked. */
const mostFooter = 64 * 1024 * 1024;
const tailBytes = 16 * 1024;

const compressions = ['none', 'zlib', 'Snappy', 'LZO', 'LZ4', 'Zstandard'] as const;

export async function orcFooter(source: ByteSource): Promise<OrcFooter> {
  const tail = await source.read(Math.max(0, source.size - tailBytes), source.size);
  const size = tail.at(-1) ?? 0;
  if (size === 0 || size >= tail.length) throw new Error('this is not an ORC file');
  const script = fieldsOf(tail.subarray(tail.length - 1 - size, tail.length - 1));
  const [magic] = script.get(8000) ?? [];
  if (!magic || typeof magic === 'bigint' || new TextDecoder().decode(magic) !== 'ORC') throw new Error('this is not an ORC file');
  const number = (field: number): number => Number(script.get(field)?.find(value => typeof value === 'bigint') ?? 0);
  const [length, compression] = [number(1), compressions[number(2)] ?? 'unknown'];
  const end = source.size - 1 - size;
  if (length > mostFooter || length > end) throw new Error('the footer of this file is damaged');
  const packed = await source.read(end - length, end);
  return { fields: fieldsOf(await unpacked(packed, compression)), compression };
}

/** Blocks with a head of three bytes: their length, and whether they are stored as they are. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>, compression: string): Promise<Uint8Array> {
  if (compression === 'none') return bytes;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let room = mostFooter;
  for (let at = 0; at + 3 <= bytes.length; ) {
    const head = (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256 + (bytes[at + 2] ?? 0) * 65_536;
    const block = bytes.subarray(at + 3, at + 3 + (head >> 1));
    const part = head % 2 === 1 ? block : await unpackedBlock(block, compression, room);
    room -= part.length;
    if (room < 0) throw new Error('the footer of this file is too large');
    parts.push(new Uint8Array(part));
    at += 3 + (head >> 1);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function unpackedBlock(block: Uint8Array<ArrayBuffer>, compression: string, most: number): Promise<Uint8Array> {
  if (compression === 'Zstandard') return unpackZstd(block, most);
  if (compression !== 'zlib')
    throw new Error(`The description of this file is compressed by ${compression}, which is not read here; write it with zlib or zstd.`);
  const reader = new Blob([block]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error('the footer of this file is too large');
    }
    parts.push(piece.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
