/** Records of a partition whose keys begin with a prefix. */
import type { KvStore } from '@srv/kernel';

/** Entries of the first page. There are often few, or none, and what comes after them is read in vain. */
const firstPage = 64;

export interface RecordBelow {
  readonly key: Buffer;
  /** The key without the prefix. */
  readonly name: string;
  readonly value: Buffer;
}

interface BelowOptions {
  /** The first name is the smallest one >= `start`; absent: the first of all. */
  readonly start?: string;
  /** Entries of the first page. Default: 64. */
  readonly batchSize?: number | undefined;
}

/** In byte order of the keys. */
export async function* recordsBelow(
  kv: KvStore,
  partition: string,
  prefix: string | Buffer,
  { start = '', batchSize = firstPage }: BelowOptions = {},
): AsyncGenerator<RecordBelow> {
  const head = typeof prefix === 'string' ? Buffer.from(prefix) : prefix;
  for await (const page of kv.scan(partition, { start: Buffer.concat([head, Buffer.from(start)]), batchSize })) {
    for (const { key, value } of page) {
      if (!key.subarray(0, head.length).equals(head)) return;
      yield { key, name: key.toString('utf8', head.length), value };
    }
  }
}
