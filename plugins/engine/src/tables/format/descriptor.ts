/** Range descriptors: the records of a metarange (format.md section 8.3). */

import { SrvError } from '@srv/kernel/errors';
import { ProtoReader, ProtoWriter } from '@srv/lib-records/protobuf';
import { decodeValue, encodeValue } from './value.js';
import type { TableSummary } from './table-writer.js';

/** A range as its metarange describes it. */
export interface RangeDescriptor {
  /** 64 lower-case hexadecimal characters. */
  readonly id: string;
  readonly minKey: Buffer;
  readonly maxKey: Buffer;
  readonly count: number;
  /** Bytes; informational, copied unchanged when a range is reused. */
  readonly estimatedSize: number;
}

export function descriptorOf({ id, minKey, maxKey, count, estimatedSize }: TableSummary): RangeDescriptor {
  return { id, minKey, maxKey, count, estimatedSize };
}

/** The record value; its key is `maxKey`. */
export function encodeDescriptor({ id, minKey, maxKey, count, estimatedSize }: RangeDescriptor): Buffer {
  const data = new ProtoWriter().bytes(1, minKey).bytes(2, maxKey).int(3, estimatedSize).int(4, count).finish();
  return encodeValue({ identity: Buffer.from(id, 'latin1'), data });
}

/** @throws SrvError `corrupt` when the value does not describe a range. */
export function decodeDescriptor(value: Buffer): RangeDescriptor {
  const { identity, data } = decodeValue(value);
  const id = identity.toString('latin1');
  if (!isTableId(id))
    throw new SrvError('corrupt', `range descriptor: expected an id of 64 hexadecimal characters, not ${JSON.stringify(id)}`);
  const found = { id, minKey: Buffer.alloc(0), maxKey: Buffer.alloc(0), count: 0, estimatedSize: 0 };
  const reader = new ProtoReader(data, `descriptor of range ${id}`);
  while (reader.next()) {
    if (reader.field === 1) found.minKey = reader.bytes as Buffer<ArrayBuffer>;
    else if (reader.field === 2) found.maxKey = reader.bytes as Buffer<ArrayBuffer>;
    else if (reader.field === 3) found.estimatedSize = reader.int;
    else if (reader.field === 4) found.count = reader.int;
  }
  return found;
}

/** Whether `id` has the form of a range, metarange or commit id. */
export function isTableId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}
