/** Constants and small encodings that the table writer and reader share (format.md sections 2 and 3). */
import { readVarint, writeVarint } from '@srv/lib-records/protobuf';
import type { SrvError } from '@srv/kernel';
import type { VarintResult } from '@srv/lib-records/protobuf';

export const footerSize = 53;
export const blockTrailerSize = 5;
export const keyTrailerSize = 8;
const magic = Buffer.from('f7cff485b741e288', 'hex');
const formatVersion = 2;
const checksumCrc32c = 1;
export const propertiesBlockName = 'rocksdb.properties';

/** Trailers of keys inside blocks: (sequence number << 8) | kind, little-endian. */
export const keyTrailer = {
  set: Buffer.from('0100000000000000', 'hex'),
  separator: Buffer.from('11ffffffffffffff', 'hex'),
  invalid: Buffer.from('ff00000000000000', 'hex'),
} as const;

/** Where a block is: its payload, without type and checksum. */
export interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

export function encodeHandle({ offset, size }: BlockHandle): Buffer {
  const bytes = Buffer.allocUnsafe(20);
  return bytes.subarray(0, writeVarint(bytes, writeVarint(bytes, 0, offset), size));
}

/** Reads a handle at `at`; `undefined` when malformed. */
export function decodeHandle(bytes: Buffer, at = 0): (BlockHandle & { readonly next: number }) | undefined {
  const number: VarintResult = { value: 0, next: 0 };
  if (!readVarint(bytes, at, bytes.length, number)) return undefined;
  const offset = number.value;
  if (!readVarint(bytes, number.next, bytes.length, number)) return undefined;
  return { offset, size: number.value, next: number.next };
}

export function encodeFooter(metaindex: BlockHandle, index: BlockHandle): Buffer {
  const footer = Buffer.alloc(footerSize);
  footer[0] = checksumCrc32c;
  const first = encodeHandle(metaindex);
  first.copy(footer, 1);
  encodeHandle(index).copy(footer, 1 + first.length);
  footer.writeUInt32LE(formatVersion, 41);
  magic.copy(footer, 45);
  return footer;
}

/** @throws SrvError `corrupt` for any other footer. */
export function decodeFooter(
  footer: Buffer,
  fileSize: number,
  fail: (at: number, expected: string) => SrvError,
): { metaindex: BlockHandle; index: BlockHandle } {
  const start = fileSize - footerSize;
  if (footer.length !== footerSize) throw fail(0, `a footer of ${footerSize} bytes, the file has ${fileSize}`);
  if (!footer.subarray(45).equals(magic)) throw fail(start + 45, `the table magic ${magic.toString('hex')}`);
  if (footer.readUInt32LE(41) !== formatVersion) throw fail(start + 41, `format version ${formatVersion}`);
  if (footer[0] !== checksumCrc32c) throw fail(start, 'checksum type 1 (CRC32C)');
  const metaindex = decodeHandle(footer, 1);
  const index = metaindex && decodeHandle(footer, metaindex.next);
  if (!metaindex || !index || index.next > 41) throw fail(start + 1, 'two block handles');
  return { metaindex, index };
}
