/** Pages of keys with prefix and delimiter (refs rules, section 11.2): time goes with the page, not with what it skips. */
import { pageSize } from '@srv/lib-records';
import type { Page } from '../refs/contract.js';

/** A walk over keyed items that can jump ahead. */
export interface SeekableItems<T> {
  /** `undefined` past the end. */
  readonly current: { readonly key: Buffer; readonly item: T } | undefined;
  seek(key: Buffer): Promise<void>;
  /** Await the result when there is one. */
  next(): Promise<void> | undefined;
}

export interface PagedRequest {
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly amount?: number | undefined;
}

export type PagedItem<T> = { readonly path: string; readonly item: T } | { readonly path: string; readonly isPrefix: true };

interface FilledPage<T> extends Page<PagedItem<T>> {
  /** Key after the page, which shows that there is more; absent: the page reaches to the last key with the prefix. */
  readonly nextKey?: Buffer;
}

/** Fills a page; keys that contain the delimiter after the prefix collapse to one item each and are jumped over. */
export async function pageOf<T>(
  items: SeekableItems<T>,
  { prefix = '', after = '', delimiter = '', amount }: PagedRequest,
): Promise<FilledPage<T>> {
  const limit = pageSize(amount);
  const prefixKey = Buffer.from(prefix, 'utf8');
  const delimiterKey = Buffer.from(delimiter, 'utf8');
  const afterKey = Buffer.from(after, 'utf8');
  const results: PagedItem<T>[] = [];
  await items.seek(startOf(prefixKey, afterKey, delimiterKey));
  while (items.current) {
    const { key, item } = items.current;
    if (!startsWith(key, prefixKey)) break;
    if (after !== '' && key.equals(afterKey)) {
      const moving = items.next();
      if (moving) await moving;
      continue;
    }
    const end = delimiter === '' ? -1 : key.indexOf(delimiterKey, prefixKey.length);
    if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.path ?? '', nextKey: key };
    if (end < 0) {
      results.push({ path: key.toString('utf8'), item });
      const moving = items.next();
      if (moving) await moving;
    } else {
      const common = key.subarray(0, end + delimiterKey.length);
      results.push({ path: common.toString('utf8'), isPrefix: true });
      await items.seek(afterPrefix(common));
    }
  }
  return { results, hasMore: false, nextOffset: '' };
}

/** First key a page may show. */
export function firstKey({ prefix = '', after = '', delimiter = '' }: PagedRequest): Buffer {
  return startOf(Buffer.from(prefix, 'utf8'), Buffer.from(after, 'utf8'), Buffer.from(delimiter, 'utf8'));
}

function startOf(prefix: Buffer, after: Buffer, delimiter: Buffer): Buffer {
  if (Buffer.compare(after, prefix) <= 0) return prefix;
  return isCommonPrefix(after, prefix, delimiter) ? afterPrefix(after) : after;
}

/** Whether a listing may show `key` as one item for all that lies below it: its first delimiter after `prefix` ends it. */
function isCommonPrefix(key: Buffer, prefix: Buffer, delimiter: Buffer): boolean {
  if (delimiter.length === 0 || !startsWith(key, prefix)) return false;
  const first = key.indexOf(delimiter, prefix.length);
  return first >= 0 && first + delimiter.length === key.length;
}

/** Whether a key that is not before a page is not after it either. @param nextKey as in {@link FilledPage}. */
export function isWithin(key: Buffer, { prefix = '' }: PagedRequest, nextKey: Buffer | undefined): boolean {
  return nextKey ? Buffer.compare(key, nextKey) <= 0 : startsWith(key, Buffer.from(prefix, 'utf8'));
}

/** Smallest key greater than every key that starts with `prefix`. */
export function afterPrefix(prefix: Buffer): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  const next = Buffer.from(prefix.subarray(0, end));
  if (end > 0) next[end - 1] = (next[end - 1] ?? 0) + 1;
  return next;
}

export function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
