/** CRC-32 and CRC-32C. */
import { crc32 as runtimeCrc32 } from 'node:zlib';
import { crc32c as libraryCrc32c } from '@node-rs/crc32';
import type { RunningDigest } from './running-digest.js';

export type { RunningDigest } from './running-digest.js';

/** CRC-32C (Castagnoli) of `bytes`, from 0 to 2^32 - 1. */
export function crc32cOf(bytes: Uint8Array): number {
  return libraryCrc32c(bytes) >>> 0;
}

/** CRC-32 as in zip files. */
export function crc32(): RunningDigest {
  return running((bytes, before) => runtimeCrc32(bytes, before));
}

/** CRC-32C (Castagnoli). */
export function crc32c(): RunningDigest {
  return running((bytes, before) => libraryCrc32c(bytes, before));
}

function running(next: (bytes: Buffer, before: number) => number): RunningDigest {
  let value = 0;
  return {
    update(bytes) {
      value = next(bytes, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    },
  };
}
