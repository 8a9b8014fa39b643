/** StagedEntryData: a row of a staging partition. Without an identity it is a tombstone. */
import { ProtoReader, ProtoWriter } from '@srv/lib-protobuf';
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
  const reader = new ProtoReader(bytes, 'staged entry');
  while (reader.next()) {
    if (reader.field === 2) identity = reader.bytes;
    else if (reader.field === 3) data = reader.bytes;
  }
  return identity === undefined || identity.length === 0 ? undefined : { identity, data };
}
