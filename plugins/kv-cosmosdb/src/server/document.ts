/** How an entry looks as a document: all bytes in base32hex, the id a hash of the key. */
import { createHash } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { decode, encode } from './base32hex.js';
import type { KvEntry } from '@srv/kernel';

export interface KvDocument {
  readonly partitionKey: string;
  readonly id: string;
  readonly key: string;
  readonly value: string;
}

/** Limits of the service, in bytes. */
const maxDocumentBytes = 2 * 1024 * 1024;
const maxPartitionBytes = 2048;
/** Names, quotes and what the service adds. */
const overheadBytes = 1024;

/** @throws SrvError `invalid` when the partition is too long. */
export function partitionKeyOf(partition: string): string {
  const text = encode(Buffer.from(partition));
  if (text.length > maxPartitionBytes) {
    throw new SrvError('invalid', `partition of ${text.length} bytes as base32: Cosmos DB holds at most ${maxPartitionBytes}`);
  }
  return text;
}

/** SHA-256 of the key, marked as bytes and preceded by its length, since an id must be short and free of slashes. */
export function idOf(key: Buffer): string {
  const mark = Buffer.from([0x00, 0x02, 0x08, 0, 0, 0, 0, 0, 0, 0, 0]);
  mark.writeBigUInt64BE(BigInt(key.length), 3);
  return encode(createHash('sha256').update(mark).update(key).digest());
}

/** @throws SrvError `invalid` when the document is too large. */
export function documentOf(partition: string, key: Buffer, value: Buffer): KvDocument {
  const document = { partitionKey: partitionKeyOf(partition), id: idOf(key), key: encode(key), value: encode(value) };
  const size = document.partitionKey.length + document.id.length + document.key.length + document.value.length + overheadBytes;
  if (size > maxDocumentBytes) {
    throw new SrvError('invalid', `entry of ${size} bytes as base32: Cosmos DB holds documents of at most ${maxDocumentBytes}`);
  }
  return document;
}

export function entryOf({ key, value }: Pick<KvDocument, 'key' | 'value'>): KvEntry {
  return { key: decode(key), value: decode(value) };
}
