/** StagedEntryData: a row of a staging partition. Without an identity it is a tombstone. */
import { ProtoReader, ProtoWriter, readVarint, varintLength, writeVarint } from '@srv/lib-records/protobuf';
import { encodeValue, maxFieldBytes } from './value.js';
import type { VarintResult } from '@srv/lib-records/protobuf';
import type { RecordValue } from './value.js';

/** @param value absent: a tombstone. */
export function encodeStaged(key: Buffer, value: RecordValue | undefined): Buffer {
  const writer = new ProtoWriter().bytes(1, key);
  return (value ? writer.bytes(2, value.identity).bytes(3, value.data) : writer).finish();
}

/** `undefined`: a tombstone. */
export function decodeStaged(bytes: Buffer): RecordValue | undefined {
  let identity: Buffer | undefined;
  let data: Buffer = Buffer.alloc(0);
  const reader = new ProtoReader(bytes, 'staged entry');
  while (reader.next()) {
    if (reader.field === 2) identity = reader.bytes;
    else if (reader.field === 3) data = reader.bytes;
  }
  return identity === undefined || identity.length === 0 ? undefined : { identity, data };
}

/** First bytes of the fields: key, identity, data. */
const tag = { key: 0x0a, identity: 0x12, data: 0x1a } as const;
const number: VarintResult = { value: 0, next: 0 };

/**
 * Record value of a staged row; `undefined`: a tombstone. Takes the room of the row where it can, whose bytes must not be
 * used afterwards.
 */
export function recordOfStaged(row: Buffer): Buffer | undefined {
  const identityAt = row[0] === tag.key ? fieldEnd(row, 0) : 0;
  const identityEnd = row[identityAt] === tag.identity ? fieldEnd(row, identityAt) : -1;
  const identityLength = number.value;
  const isUsual = identityEnd >= 0 && identityLength > 0 && row[identityEnd] === tag.data && fieldEnd(row, identityEnd) === row.length;
  const dataLength = number.value;
  if (!isUsual || identityLength > maxFieldBytes || dataLength > maxFieldBytes) {
    const value = decodeStaged(row);
    return value && encodeValue(value);
  }
  // A length of a record is the doubled one of a field: it fits in the room of the field's tag and length.
  const dataPrefix = row.length - dataLength - varintLength(2 * dataLength);
  writeVarint(row, dataPrefix, 2 * dataLength);
  const identityStart = dataPrefix - identityLength;
  if (dataPrefix !== identityEnd) row.copyWithin(identityStart, identityEnd - identityLength, identityEnd);
  const start = identityStart - varintLength(2 * identityLength);
  writeVarint(row, start, 2 * identityLength);
  return row.subarray(start);
}

/** Where the field at `at` ends, whose length is left in `number`; -1 when it does not end inside the row. */
function fieldEnd(row: Buffer, at: number): number {
  if (at < 0 || !readVarint(row, at + 1, row.length, number)) return -1;
  const end = number.next + number.value;
  return end <= row.length ? end : -1;
}
