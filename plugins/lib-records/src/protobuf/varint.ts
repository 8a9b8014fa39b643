/** Unsigned LEB128 integers, as everywhere inside tables (format.md section 1), and their zigzag form for record values. */

/** Longest encoding of a 64-bit number, in bytes. */
const longest = 10;

/** A decoded number and the offset after it. Reused by the caller to decode without allocation. */
export interface VarintResult {
  value: number;
  next: number;
}

/** Bytes that {@link writeVarint} uses for `value`. */
export function varintLength(value: number): number {
  let length = 1;
  while (value >= 0x80) {
    value = Math.floor(value / 0x80);
    length++;
  }
  return length;
}

/** Writes a whole number from 0 to 2^53-1 at `offset`; returns the offset after it. */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  while (value >= 0x80) {
    target[offset++] = (value % 0x80) | 0x80;
    value = Math.floor(value / 0x80);
  }
  target[offset++] = value;
  return offset;
}

/**
 * Reads a number that ends before `end`.
 * @returns false when the bytes end first, run on for more than 10 bytes, or exceed 2^53-1.
 */
export function readVarint(source: Uint8Array, offset: number, end: number, result: VarintResult): boolean {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < longest && offset + i < end; i++) {
    const byte = source[offset + i] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      result.value = value;
      result.next = offset + i + 1;
      return value <= Number.MAX_SAFE_INTEGER;
    }
    scale *= 0x80;
  }
  return false;
}
