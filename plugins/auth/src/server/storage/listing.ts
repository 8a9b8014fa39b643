/** Pages of records below a key prefix. */
import { compareBytes } from '@srv/lib-records';
import type { KvStore } from '@srv/kernel';
import type { AuthPage, AuthPageRequest } from '../../pages.js';

export interface StoredItem {
  /** Key without the prefix. */
  readonly name: string;
  readonly value: Buffer;
}

/** Records below `prefix` in byte order of their names, from the first one >= `start`. */
export async function* scanBelow(kv: KvStore, partition: string, prefix: string, start = ''): AsyncGenerator<StoredItem> {
  const head = Buffer.from(prefix, 'utf8');
  for await (const page of kv.scan(partition, { start: Buffer.from(prefix + start, 'utf8') })) {
    for (const { key, value } of page) {
      if (!key.subarray(0, head.length).equals(head)) return;
      yield { name: key.subarray(head.length).toString('utf8'), value };
    }
  }
}

/**
 * One page of names that start with `prefix` and come after `after`.
 * @param convert returns `undefined` for what is to be skipped, such as an index entry that points nowhere.
 */
export async function readPage<T>(
  items: (start: string) => AsyncIterable<StoredItem>,
  { prefix = '', after = '', amount = 100 }: AuthPageRequest,
  convert: (item: StoredItem) => Promise<T | undefined> | T | undefined,
): Promise<AuthPage<T>> {
  const results: T[] = [];
  let last = '';
  for await (const item of items(compareBytes(prefix, after) > 0 ? prefix : after)) {
    if (after !== '' && compareBytes(item.name, after) <= 0) continue;
    if (!item.name.startsWith(prefix)) break;
    const converted = await convert(item);
    if (converted === undefined) continue;
    if (results.length === amount) return { results, hasMore: true, nextOffset: last };
    results.push(converted);
    last = item.name;
  }
  return { results, hasMore: false, nextOffset: '' };
}
