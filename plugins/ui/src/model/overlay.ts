/** A listing with the uncommitted changes of the branch in it. */
import { compareBytes } from '@srv/lib-records/byte-order';

type Mark = 'added' | 'removed' | 'changed';

interface ListedItem {
  readonly path: string;
  readonly path_type: 'common_prefix' | 'object';
}

interface ChangedItem extends ListedItem {
  readonly type: 'added' | 'removed' | 'changed' | 'conflict' | 'prefix_changed';
}

export type Row<T extends ListedItem> =
  | { readonly item: T; readonly path: string; readonly path_type: T['path_type']; readonly mark?: Mark }
  | { readonly item?: never; readonly path: string; readonly path_type: ListedItem['path_type']; readonly mark: 'removed' };

const marks: Readonly<Record<ChangedItem['type'], Mark>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  conflict: 'changed',
  prefix_changed: 'changed',
};

/** A folder and an object of one name are different rows. */
export const rowKey = ({ path, path_type }: ListedItem): string => `${path_type} ${path}`;

/**
 * Marks what is listed, and puts what was removed in its place.
 * @param whole nothing is listed after the last item; otherwise removals after it wait for the next page.
 */
export function overlay<T extends ListedItem>(listed: readonly T[], changes: readonly ChangedItem[], whole: boolean): readonly Row<T>[] {
  if (changes.length === 0) return listed.map(item => ({ item, path: item.path, path_type: item.path_type }));
  const byKey = new Map(changes.map(change => [rowKey(change), change]));
  const rows: Row<T>[] = listed.map(item => {
    const change = byKey.get(rowKey(item));
    byKey.delete(rowKey(item));
    const mark = change && (item.path_type === 'common_prefix' && change.type !== 'added' ? 'changed' : marks[change.type]);
    return { item, path: item.path, path_type: item.path_type, ...(mark ? { mark } : {}) };
  });
  const last = listed.at(-1)?.path;
  const gone = [...byKey.values()].filter(
    ({ type, path }) => type === 'removed' && (whole || (last !== undefined && compareBytes(path, last) <= 0)),
  );
  if (gone.length === 0) return rows;
  const missing: Row<T>[] = gone.map(({ path, path_type }) => ({ path, path_type, mark: 'removed' }));
  return [...rows, ...missing].sort((a, b) => compareBytes(a.path, b.path));
}
