/** Summaries of columns, over all rows. */
import { ColumnCounter } from './column-summary.js';
import type { ColumnSummary } from './column-summary.js';
import type { TableFile } from './table-file.js';

/** Columns that are read at once: each needs the memory of a batch. */
const together = 4;

/** @param onDone is called for each column that is complete, and for each step with none. */
export async function summarize(
  table: TableFile,
  columns: readonly number[],
  onProgress: (share: number, done?: { readonly column: number; readonly summary: ColumnSummary }) => void,
): Promise<void> {
  // Records are read once for all of their columns, column chunks one after the other.
  const size = table.facts.length > 0 ? together : columns.length;
  for (let first = 0; first < columns.length; first += size) {
    const places = columns.slice(first, first + size);
    const counters = places.flatMap(place => table.columns.slice(place, place + 1).map(column => new ColumnCounter(column)));
    for await (const { values, count, share } of table.scan(places)) {
      for (const [i, counter] of counters.entries()) counter.add(values[i] ?? [], count);
      onProgress((first + share * places.length) / columns.length);
    }
    for (const [i, counter] of counters.entries())
      onProgress((first + i + 1) / columns.length, { column: places[i] ?? 0, summary: counter.summary });
  }
}
