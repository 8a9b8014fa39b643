/** StagedEntryData: a row of a staging partition. Without an identity it is a tombstone. */
import { ProtoWriter, encodeValue, readFields } from '@srv/committed/format';
import type { RecordValue } from '@srv/committed/format';

/** @param value absent: a tombstone. */
export function encodeStaged(key: Buffer, value: RecordValue | undefined): Buffer {
  const writer = new ProtoWriter().bytes(1, key);
  return (value ? writer.bytes(2, value.identity).bytes(3, value.data) : writer).finish();
}

/** `undefined`: a tombstone. */
export function decodeStaged(bytes: Buffer): RecordValue | undefined {
  let identity: Buffer | undefined;
  let data: Buffer = Buffer.alloc(0);
  for (const { field, bytes: value } of readFields(bytes, 'staged entry')) {
    if (field === 2) identity = value;
    else if (field === 3) data = value;
  }
  return identity === undefined || identity.length === 0 ? undefined : { identity, data };
}

/** The same as the framed value that tables hold. */
export function stagedToRecord(bytes: Buffer): Buffer | undefined {
  const value = decodeStaged(bytes);
  return value && encodeValue(value);
}
