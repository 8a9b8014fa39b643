/** Byte ranges. */
import { SrvError } from '@srv/kernel';
import type { ByteRange } from './contract.js';

/** @throws SrvError `invalid` when the range begins before the object or ends before it begins. */
export function checkRange({ start, end }: ByteRange): void {
  if (!(start >= 0 && end >= start)) throw new SrvError('invalid', `bytes ${start}-${end} are not a range`);
}

/** The value of a `Range` header. @throws SrvError `invalid` as {@link checkRange}. */
export function rangeHeader(range: ByteRange): string {
  checkRange(range);
  return `bytes=${range.start}-${range.end}`;
}
