/** Pages of records below a key prefix. */
import { compareBytes } from '@srv/lib-records';
import type { RecordBelow } from '@srv/lib-records';
import type { AuthPage, AuthPageRequest } from '../../pages.js';

export type StoredItem = Pick<RecordBelow, 'name' | 'value'>;

/**
 * One page of names that start with `prefix` and come after `after`.
 * @param items in byte order of their names, from `start` on; earlier ones are skipped.
 * @param convert returns `undefined` for what is to be skipped, such as an index entry that points nowhere.
 */
export async function readPage<T, Item extends { readonly name: string }>(
  items: (start: string) => AsyncIterable<Item>,
  { prefix = '', after = '', amount = 100 }: AuthPageRequest,
  convert: (item: Item) => Promise<T | undefined> | T | undefined,
): Promise<AuthPage<T>> {
  const results: T[] = [];
  let last = '';
  const start = compareBytes(prefix, after) > 0 ? prefix : after;
  for await (const item of items(start)) {
    if (compareBytes(item.name, start) < 0 || (after !== '' && item.name === after)) continue;
    if (!item.name.startsWith(prefix)) break;
    const converted = await convert(item);
    if (converted === undefined) continue;
    if (results.length === amount) return { results, hasMore: true, nextOffset: last };
    results.push(converted);
    last = item.name;
  }
  return { results, hasMore: false, nextOffset: '' };
}
