/** Zstandard (RFC 8878) of bytes that may be made to fill the memory: what they unpack to is known before they are unpacked. */
import { decompressZstd } from 'hyparquet-compressors';

const frameMark = 0xfd2fb528;
const skippedMark = 0x184d2a50;
/** Bytes of a compressed block, unpacked. */
const mostOfBlock = 128 * 1024;
const [rawBlock, repeatedBlock] = [0, 1];

/** @param most bytes of the result. @throws Error where there would be more, or the bytes are damaged. */
export function unpackZstd(packed: Uint8Array, most: number): Uint8Array {
  if (unpackedBound(packed) > most + mostOfBlock) throw new Error(`it unpacks to more than ${most} bytes`);
  const bytes = decompressZstd(packed);
  if (bytes.length > most) throw new Error(`it unpacks to more than ${most} bytes`);
  return bytes;
}

/** What all frames together have at most. */
function unpackedBound(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let bound = 0;
  for (let at = 0; at + 5 <= bytes.length; ) {
    const mark = view.getUint32(at, true);
    if ((mark & 0xfffffff0) >>> 0 === skippedMark) {
      at += 8 + (at + 8 <= bytes.length ? view.getUint32(at + 4, true) : 0);
      continue;
    }
    if (mark !== frameMark) throw new Error('it is not compressed by Zstandard');
    const frame = frameIn(view, at + 4);
    bound += Math.max(frame.bound, frame.said);
    at = frame.end;
  }
  return bound;
}

/** @param at place after the mark. */
function frameIn(view: DataView, at: number): { readonly bound: number; readonly said: number; readonly end: number } {
  const descriptor = view.getUint8(at);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingle) : 1 << sizeFlag;
  const from = at + 1 + Number(!isSingle) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  let said = 0;
  for (let i = 0; i < sizeBytes; i++) said += view.getUint8(from + i) * 256 ** i;
  let [bound, place, isLast] = [0, from + sizeBytes, false];
  while (!isLast) {
    const header = view.getUint16(place, true) | (view.getUint8(place + 2) << 16);
    const [kind, size] = [(header >> 1) & 3, header >> 3];
    isLast = (header & 1) === 1;
    bound += kind === rawBlock || kind === repeatedBlock ? size : mostOfBlock;
    place += 3 + (kind === repeatedBlock ? 1 : size);
  }
  return { bound, said, end: place + ((descriptor & 4) === 0 ? 0 : 4) };
}
