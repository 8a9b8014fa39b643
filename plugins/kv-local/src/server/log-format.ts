/**
 * The format of LevelDB's logs and manifests: blocks of 32 KiB, in each a row of physical records
 * `<masked CRC-32C of type and payload: 4 bytes><length: 2 bytes><type: 1 byte><payload>`, little endian. A record that
 * does not fit into its block is split into fragments: first, middle, …, last.
 */
import { crc32cOf } from '@srv/lib-stores/crc32';

export const blockBytes = 32 * 1024;
export const headerBytes = 7;

export const fragment = { full: 1, first: 2, middle: 3, last: 4 } as const;
type Fragment = (typeof fragment)[keyof typeof fragment];

const typeOffset = 6;

/** Where the physical record at `at` ends and what it is; `undefined` when no whole record with a valid checksum is there. */
export function recordAt(block: Buffer, at: number): { readonly type: Fragment; readonly end: number } | undefined {
  const end = claimedEnd(block, at);
  if (end === undefined) return undefined;
  const type = block.readUInt8(at + typeOffset) as Fragment;
  return block.readUInt32LE(at) === masked(crc32cOf(block.subarray(at + typeOffset, end))) ? { type, end } : undefined;
}

/** Where a record at `at` would end by its header; `undefined` when the header is not that of a record. */
export function claimedEnd(block: Buffer, at: number): number | undefined {
  if (at + headerBytes > block.length) return undefined;
  const type = block.readUInt8(at + typeOffset);
  const end = at + headerBytes + block.readUInt16LE(at + 4);
  return type >= fragment.full && type <= fragment.last && end <= block.length ? end : undefined;
}

/** A log that holds `records`. */
export function* encodeLog(records: Iterable<Buffer>): Generator<Buffer> {
  let room = blockBytes;
  for (const record of records) {
    let rest = record;
    let isFirst = true;
    do {
      if (room < headerBytes) {
        if (room > 0) yield Buffer.alloc(room);
        room = blockBytes;
      }
      const payload = rest.subarray(0, room - headerBytes);
      rest = rest.subarray(payload.length);
      const isLast = rest.length === 0;
      const type = isFirst ? (isLast ? fragment.full : fragment.first) : isLast ? fragment.last : fragment.middle;
      yield physicalRecord(type, payload);
      room -= headerBytes + payload.length;
      isFirst = false;
    } while (rest.length > 0);
  }
}

function physicalRecord(type: Fragment, payload: Buffer): Buffer {
  const record = Buffer.concat([Buffer.alloc(headerBytes), payload]);
  record.writeUInt8(type, typeOffset);
  record.writeUInt16LE(payload.length, 4);
  record.writeUInt32LE(masked(crc32cOf(record.subarray(typeOffset))), 0);
  return record;
}

/** LevelDB stores checksums rotated and shifted, so that a checksum of bytes that hold checksums is not degenerate. */
function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
