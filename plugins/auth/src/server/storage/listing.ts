/** Pages of records below a key prefix. */
import { compareBytes } from '@srv/lib-records';
import type { RecordBelow } from '@srv/lib-records';
import type { AuthPage, AuthPageRequest } from '../../pages.js';

export type StoredItem = Pick<RecordBelow, 'name' | 'value'>;

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
