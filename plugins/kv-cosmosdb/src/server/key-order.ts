/**
 * The database sorts keys by their padded base32 text, which is the order of the bytes except in one case: `=` sorts after the
 * digits, so a key may come after longer keys that begin with it (`abc` after `abc!`). This file finds the affected keys.
 */
import { digitValue, encode, withoutPadding } from './base32hex.js';

/** The smallest text of a key that is not below `start`. Keys below may have greater texts, too. */
export function textFrom(start: Buffer): string {
  return withoutPadding(encode(start));
}

/** The keys, shortest first, that belong before `key` but whose text sorts after that of `key`. Usually the list is empty. */
export function keysSortedTooLate(key: Buffer): Buffer[] {
  const text = withoutPadding(encode(key));
  const found: Buffer[] = [];
  for (let length = 1; length < key.length; length++) {
    // Texts of whole groups have no padding.
    if (length % 5 === 0) continue;
    const end = Math.ceil((length * 8) / 5);
    const next = text[end];
    if (next === undefined || next > '9') continue;
    // The text of the shorter key ends in zero bits; only where the longer one has them, too, `=` meets the digit.
    const zeros = end * 5 - length * 8;
    if (digitValue(text, end - 1) % 2 ** zeros === 0) found.push(key.subarray(0, length));
  }
  return found;
}
