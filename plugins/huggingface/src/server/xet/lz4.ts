/** LZ4 frames, as chunks of Xet hold them. Node has no decoder of them. */
import { HubError } from '../errors.js';

const magic = 0x184d2204;
const [hasDictionary, hasContentChecksum, hasContentSize, hasBlockChecksums] = [0x01, 0x04, 0x08, 0x10];

/**
 * @param size bytes of the content, which the caller bounds.
 * @throws HubError 400 for a frame that is damaged or has another size.
 */
export function decodeLz4Frame(frame: Buffer, size: number): Buffer {
  const output = Buffer.allocUnsafe(size);
  if (frame.length < 7 || frame.readUInt32LE(0) !== magic) throw damaged();
  const flags = frame[4] ?? 0;
  if (flags >> 6 !== 1 || (flags & hasDictionary) !== 0) throw damaged();
  let at = 7 + ((flags & hasContentSize) === 0 ? 0 : 8);
  let written = 0;
  for (;;) {
    if (at + 4 > frame.length) throw damaged();
    const word = frame.readUInt32LE(at);
    at += 4;
    if (word === 0) break;
    const length = word & 0x7fff_ffff;
    const end = at + length;
    if (end > frame.length) throw damaged();
    if (word >>> 31 === 1) {
      if (written + length > size) throw damaged();
      frame.copy(output, written, at, end);
      written += length;
    } else written = decodeBlock(frame.subarray(at, end), output, written);
    at = end + ((flags & hasBlockChecksums) === 0 ? 0 : 4);
  }
  at += (flags & hasContentChecksum) === 0 ? 0 : 4;
  if (at !== frame.length || written !== size) throw damaged();
  return output;
}

/** Sequences of literals and of copies of what was written before. @returns where the output ends. */
function decodeBlock(block: Buffer, output: Buffer, from: number): number {
  let [at, to] = [0, from];
  const lengthAt = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15)
      for (let byte = 255; byte === 255; length += byte) {
        if (at >= block.length) throw damaged();
        byte = block[at++] ?? 0;
      }
    return length;
  };
  while (at < block.length) {
    const token = block[at++] ?? 0;
    const literals = lengthAt(token >> 4);
    if (at + literals > block.length || to + literals > output.length) throw damaged();
    block.copy(output, to, at, at + literals);
    at += literals;
    to += literals;
    // The last sequence has no copy.
    if (at === block.length) return to;
    if (at + 2 > block.length) throw damaged();
    const distance = block.readUInt16LE(at);
    at += 2;
    const length = lengthAt(token & 15) + 4;
    if (distance === 0 || distance > to || to + length > output.length) throw damaged();
    if (distance >= length) output.copyWithin(to, to - distance, to - distance + length);
    // The copy repeats itself.
    else for (let i = 0; i < length; i++) output[to + i] = output[to + i - distance] ?? 0;
    to += length;
  }
  throw damaged();
}

const damaged = (): HubError => new HubError(400, 'a chunk of the upload is not a valid LZ4 frame of the announced size');
