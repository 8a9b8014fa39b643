/** The items of a list that match what is searched for. */
import { useEffect, useMemo } from 'preact/hooks';
import type { Pages } from '@srv/lib-page/page';

/** A text anywhere in an item counts, so the whole list is read. */
export function useFoundItems<T>(pages: Pages<T>, text: string, textOf: (item: T) => string): readonly T[] {
  const needle = text.toLowerCase();
  useEffect(() => {
    if (needle !== '' && pages.state === 'more') pages.more();
  }, [needle, pages.items.length, pages.state]);
  return useMemo(
    () => (needle === '' ? pages.items : pages.items.filter(item => textOf(item).toLowerCase().includes(needle))),
    [pages.items, needle],
  );
}
