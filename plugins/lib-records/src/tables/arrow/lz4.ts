/** Frames of LZ4 (format: lz4_Frame_format.md), whose blocks may refer to those before them. Checksums are passed over. */
import { ArrowError } from './error.js';

const frameMark = 0x184d2204;

/** @param length bytes of the result. @throws Error for anything else. */
export function unpackLz4(packed: Uint8Array, length: number): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  if (view.getUint32(0, true) !== frameMark) throw new ArrowError('a buffer of it is not a frame of LZ4');
  const flags = view.getUint8(4);
  const [hasBlockSum, hasSize, hasDictionary] = [(flags & 0x10) !== 0, (flags & 8) !== 0, (flags & 1) !== 0];
  if (hasDictionary) throw new ArrowError('a buffer of it needs a dictionary of LZ4');
  const output = new Uint8Array(length);
  let written = 0;
  for (let at = 4 + 3 + (hasSize ? 8 : 0); ; ) {
    const size = view.getUint32(at, true);
    at += 4;
    if (size === 0) break;
    const [isStored, bytes] = [size >>> 31 === 1, size & 0x7fffffff];
    if (at + bytes > packed.length) throw new ArrowError('a compressed buffer of it is damaged');
    const block = packed.subarray(at, at + bytes);
    if (isStored) {
      output.set(block, written);
      written += bytes;
    } else written = unpackBlock(block, output, written);
    at += bytes + (hasBlockSum ? 4 : 0);
  }
  return output.subarray(0, written);
}

/** @returns the place after what was written. */
function unpackBlock(block: Uint8Array, output: Uint8Array, from: number): number {
  let [at, to] = [0, from];
  /** Lengths continue while their bytes are full. */
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = block[at++] ?? 0;
    return length;
  };
  while (at < block.length) {
    const token = block[at++] ?? 0;
    const literals = lengthOf(token >> 4);
    if (at + literals > block.length) throw new ArrowError('a compressed buffer of it is damaged');
    output.set(block.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at >= block.length) return to;
    const offset = (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8);
    at += 2;
    const length = lengthOf(token & 15) + 4;
    if (offset === 0 || offset > to || to + length > output.length) throw new ArrowError('a compressed buffer of it is damaged');
    if (offset >= length) output.copyWithin(to, to - offset, to - offset + length);
    else for (let i = 0; i < length; i++) output[to + i] = output[to + i - offset] ?? 0;
    to += length;
  }
  return to;
}
