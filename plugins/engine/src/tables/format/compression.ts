/** Block compression: Snappy block format, or none when it gains too little (format.md section 5.2). */
import { readVarint } from '@srv/lib-records/protobuf';
import { compressSync, uncompressSync } from 'snappy';
import type { VarintResult } from '@srv/lib-records/protobuf';

export const blockType = { none: 0, snappy: 1 } as const;

/** Largest block a reader unpacks: two maximal fields and one block of neighbours, in bytes. */
export const maxBlockBytes = 96 << 20;

/** A Snappy copy of three bytes yields at most 64 bytes. */
const maxRatio = 32;

interface PackedBlock {
  readonly payload: Buffer;
  readonly type: number;
}

/** Compresses when at least an eighth is saved. */
export function pack(content: Buffer): PackedBlock {
  const compressed = compressSync(content);
  if (compressed.length < content.length - Math.floor(content.length / 8)) return { payload: compressed, type: blockType.snappy };
  return { payload: content, type: blockType.none };
}

/** Content of a Snappy block. `undefined` when it is malformed or larger than {@link maxBlockBytes}. */
export function unpackSnappy(payload: Buffer): Buffer | undefined {
  const size: VarintResult = { value: 0, next: 0 };
  if (!readVarint(payload, 0, payload.length, size)) return undefined;
  if (size.value > maxBlockBytes || size.value > payload.length * maxRatio) return undefined;
  try {
    const content = uncompressSync(payload, { asBuffer: true }) as Buffer;
    return content.length === size.value ? content : undefined;
  } catch {
    return undefined;
  }
}
