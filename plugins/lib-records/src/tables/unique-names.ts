import type { TableFile } from './table-file.js';

/** A name that stands several times names several columns: the later ones get their number. */
export function uniqueNames({ columns }: Pick<TableFile, 'columns'>): readonly string[] {
  const counts = new Map<string, number>();
  return columns.map(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
