/**
 * Checksums that parts of an upload were verified with, and their sizes, kept until the upload ends: the parts themselves do
 * not carry their checksums, and are gone once they are joined.
 */
import { ProtoWriter, readFields, recordsBelow } from '@srv/lib-records';
import type { KvStore } from '@srv/kernel';
import type { RecordBelow } from '@srv/lib-records';

const partition = 'multipart-checksums';
const digits = 5;

export interface VerifiedPart {
  /** Of the part, without quotes: a part that was sent again has another. */
  readonly etag: string;
  readonly algorithm: string;
  /** Base64. */
  readonly value: string;
  /** Bytes. Absent if they were not announced, and in records of earlier releases. */
  readonly size?: number | undefined;
}

export class PartChecksums {
  readonly #kv: KvStore;

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  async set(uploadId: string, partNumber: number, { etag, algorithm, value, size }: VerifiedPart): Promise<void> {
    // As text: an empty part has a size, too.
    const bytes = size === undefined ? '' : String(size);
    const record = new ProtoWriter().string(1, etag).string(2, algorithm).string(3, value).string(4, bytes).finish();
    await this.#kv.set(partition, keyOf(uploadId, partNumber), record);
  }

  /** By part number. */
  async all(uploadId: string): Promise<ReadonlyMap<number, VerifiedPart>> {
    const found = new Map<number, VerifiedPart>();
    for await (const { key, value } of this.#records(uploadId)) found.set(Number(key.subarray(-digits).toString()), decode(value));
    return found;
  }

  async remove(uploadId: string): Promise<void> {
    for await (const { key } of this.#records(uploadId)) await this.#kv.delete(partition, key);
  }

  async *#records(uploadId: string): AsyncGenerator<RecordBelow> {
    // Longer ones are those of an upload whose id begins with this one.
    for await (const record of recordsBelow(this.#kv, partition, prefixOf(uploadId))) if (record.name.length === digits) yield record;
  }
}

function prefixOf(uploadId: string): Buffer {
  return Buffer.from(`${uploadId}/`, 'utf8');
}

function keyOf(uploadId: string, partNumber: number): Buffer {
  return Buffer.concat([prefixOf(uploadId), Buffer.from(String(partNumber).padStart(digits, '0'))]);
}

function decode(bytes: Buffer): VerifiedPart {
  const text: string[] = [];
  for (const { field, bytes: value } of readFields(bytes, 'part checksum')) text[field] = value.toString('utf8');
  const [, etag = '', algorithm = '', value = '', size = ''] = text;
  return { etag, algorithm, value, size: size === '' ? undefined : Number(size) };
}
