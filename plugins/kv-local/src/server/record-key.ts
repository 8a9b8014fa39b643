/**
 * Where a record lies in LevelDB's one key space: `<length of partition: 2 bytes, big endian><partition><key>`. The length
 * keeps partitions apart whatever their names contain; within one the order is the byte order of the keys.
 */
import { SrvError } from '@srv/kernel';

const lengthBytes = 2;
const maxPartitionBytes = 0xffff;

/** What every record of a partition begins with. @throws SrvError `invalid` above 65,535 bytes. */
export function partitionPrefix(partition: string): Buffer {
  const length = Buffer.byteLength(partition);
  if (length > maxPartitionBytes)
    throw new SrvError('invalid', `partition ${partition.slice(0, 40)}…: ${length} bytes are more than ${maxPartitionBytes}`);
  const prefix = Buffer.allocUnsafe(lengthBytes + length);
  prefix.writeUInt16BE(length, 0);
  prefix.write(partition, lengthBytes);
  return prefix;
}

/** Greater than every record key: a partition never begins with 0xff, because it is UTF-8 text. */
export const keysEnd = Buffer.from([0xff, 0xff, 0xff]);

export function recordKey(partition: string, key: Buffer): Buffer {
  return Buffer.concat([partitionPrefix(partition), key]);
}

/** The smallest record key after a partition. */
export function partitionEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  // The last byte is UTF-8 text, so never 0xff: it can always grow.
  end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
  return end;
}

/** The partition a record key begins with. */
export function partitionOf(recordKey: Buffer): string {
  return recordKey.length < lengthBytes ? '' : recordKey.toString('utf8', lengthBytes, lengthBytes + recordKey.readUInt16BE(0));
}
