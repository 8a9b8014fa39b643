/** Xorbs and shards as a client makes them. */
import { createHash } from 'node:crypto';

export const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** A chunk with its header. @param stored as the scheme has it. */
export function chunk(content: Buffer, scheme: 0 | 1 | 2 = 0, stored: Buffer = content): Buffer {
  const header = Buffer.alloc(8);
  header.writeUIntLE(stored.length, 1, 3);
  header[4] = scheme;
  header.writeUIntLE(content.length, 5, 3);
  return Buffer.concat([header, stored]);
}

/** A frame of one block that is not compressed, or of given blocks with their lengths. */
export function lz4Frame(content: Buffer, block?: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(block ? block.length : (content.length | 0x8000_0000) >>> 0);
  return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0]), length, block ?? content, Buffer.alloc(4)]);
}

/** A hash as shards have it: each eight bytes reversed. */
function stored(hash: string): Buffer {
  const bytes = Buffer.from(hash, 'hex');
  for (let at = 0; at < 32; at += 8) bytes.subarray(at, at + 8).reverse();
  return bytes;
}

export interface Part {
  readonly xorb: string;
  readonly bytes: number;
  readonly first: number;
  readonly end: number;
}

export function shard(files: readonly { readonly sha256: string; readonly parts: readonly Part[] }[]): Buffer {
  const header = Buffer.alloc(48);
  header.write('HFRepoMetaData\0', 'latin1');
  header.writeBigUInt64LE(2n, 32);
  const entry = (hash: Buffer, ...numbers: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(48);
    hash.copy(bytes);
    for (const [i, number] of numbers.entries()) bytes.writeUInt32LE(number, 32 + 4 * i);
    return bytes;
  };
  const lists = files.flatMap(({ sha256, parts }) => [
    entry(Buffer.alloc(32, 1), 0xc000_0000, parts.length),
    ...parts.map(({ xorb, bytes, first, end }) => entry(stored(xorb), 0, bytes, first, end)),
    ...parts.map(() => entry(Buffer.alloc(32, 2))),
    entry(stored(sha256)),
  ]);
  return Buffer.concat([header, ...lists, entry(Buffer.alloc(32, 0xff))]);
}
