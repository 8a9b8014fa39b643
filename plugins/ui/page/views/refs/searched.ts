/** Refs by any part of their names. */
import { useEffect, useMemo } from 'preact/hooks';
import type { Pages } from '@srv/lib-page/page';

/** @returns those that match; all pages are asked for while one searches. */
export function useSearched<T extends { readonly id: string }>(pages: Pages<T>, text: string): readonly T[] {
  const needle = text.toLowerCase();
  useEffect(() => {
    if (needle !== '' && pages.state === 'more') pages.more();
  }, [needle, pages.items.length, pages.state]);
  return useMemo(
    () => (needle === '' ? pages.items : pages.items.filter(({ id }) => id.toLowerCase().includes(needle))),
    [pages.items, needle],
  );
}
