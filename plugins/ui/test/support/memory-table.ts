/** A table of given rows. */
import { textColumn } from '@srv/lib-records/tables/text-column';
import type { Cell, TableFile } from '@srv/lib-records/tables/table-file';

/** Rows that a batch has at most: few, so that tables have several. */
const batch = 2;

export function memoryTable(names: readonly string[], rows: readonly (readonly Cell[])[]): TableFile {
  return {
    columns: names.map(name => textColumn(name, false)),
    total: rows.length,
    notes: [],
    facts: [],
    cells: (start, end, columns) => Promise.resolve(rows.slice(start, end).map(row => columns.map(column => row[column] ?? null))),
    async *scan(columns) {
      for (let start = 0; start < rows.length; start += batch) {
        const some = await Promise.resolve(rows.slice(start, start + batch));
        const share = (start + some.length) / rows.length;
        yield { start, count: some.length, values: columns.map(column => some.map(row => row[column] ?? null)), share };
      }
    },
  };
}
