/** Record values of ranges and metaranges: `zigzag(len) identity zigzag(len) data` (format.md section 8). */

import { SrvError } from '@srv/kernel/errors';
import { readVarint, varintLength, writeVarint } from '@srv/lib-records/protobuf';
import type { VarintResult } from '@srv/lib-records/protobuf';

/** Longest identity or data, in bytes. */
export const maxFieldBytes = 640 << 16;

export interface RecordValue {
  readonly identity: Buffer;
  readonly data: Buffer;
}

/** @throws SrvError `invalid` when either part is longer than {@link maxFieldBytes}. */
export function encodeValue({ identity, data }: RecordValue): Buffer {
  if (identity.length > maxFieldBytes || data.length > maxFieldBytes) {
    throw new SrvError('invalid', `record value too long: at most ${maxFieldBytes} bytes of identity and of data are allowed`);
  }
  const bytes = Buffer.allocUnsafe(varintLength(identity.length * 2) + identity.length + varintLength(data.length * 2) + data.length);
  let at = writeVarint(bytes, 0, identity.length * 2);
  at += identity.copy(bytes, at);
  at = writeVarint(bytes, at, data.length * 2);
  data.copy(bytes, at);
  return bytes;
}

/** Views into `bytes`; what follows the data is ignored. @throws SrvError `corrupt`. */
export function decodeValue(bytes: Buffer): RecordValue {
  readIdentity(bytes);
  const identity = bytes.subarray(field.start, field.end);
  readField(bytes, field.end, 'data');
  return { identity, data: bytes.subarray(field.start, field.end) };
}

/** Whether two record values have the same identity, whatever their data. */
export function sameIdentity(a: Buffer, b: Buffer): boolean {
  readIdentity(a);
  const { start, end } = field;
  readIdentity(b);
  return end - start === field.end - field.start && a.compare(b, field.start, field.end, start, end) === 0;
}

/** The value without the bytes after its data: this is written when a record is copied. */
export function withoutTail(bytes: Buffer): Buffer {
  readIdentity(bytes);
  readField(bytes, field.end, 'data');
  return field.end === bytes.length ? bytes : bytes.subarray(0, field.end);
}

const field = { start: 0, end: 0 };
const number: VarintResult = { value: 0, next: 0 };

function readIdentity(bytes: Buffer): void {
  readField(bytes, 0, 'identity');
}

/** Bounds of the field at `offset`; a missing length counts as 0. */
function readField(bytes: Buffer, offset: number, what: string): void {
  if (offset === bytes.length) {
    field.start = field.end = offset;
    return;
  }
  if (!readVarint(bytes, offset, bytes.length, number) || number.value % 2 === 1) throw badValue(what, offset, 'a length');
  const length = number.value / 2;
  if (length > bytes.length - number.next) throw badValue(what, offset, `at most ${bytes.length - number.next} bytes, not ${length}`);
  field.start = number.next;
  field.end = number.next + length;
}

function badValue(what: string, offset: number, expected: string): SrvError {
  return new SrvError('corrupt', `record value: ${what} at byte ${offset}: expected ${expected}`);
}
