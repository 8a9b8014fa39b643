/** The rows of a folder whose names contain a text. */
import { useEffect, useMemo } from 'preact/hooks';
import type { Pages } from '@srv/lib-page/page';
import type { Row } from '../../../src/model/overlay.js';
import type { ListedObject } from './listed-object.js';

interface FilteredRows {
  readonly rows: readonly Row<ListedObject>[];
  readonly pages: Pages<ListedObject>;
  readonly folder: string;
  readonly filter: string;
}

export function useFilteredRows({ rows, pages, folder, filter }: FilteredRows): readonly Row<ListedObject>[] {
  const needle = filter.toLowerCase();
  // A text anywhere in a name counts, so the whole folder is needed.
  useEffect(() => {
    if (needle !== '' && pages.state === 'more') pages.more();
  }, [needle, pages.items.length, pages.state]);
  return useMemo(
    () => (needle === '' ? rows : rows.filter(row => row.path.slice(folder.length).toLowerCase().includes(needle))),
    [rows, needle, folder],
  );
}
