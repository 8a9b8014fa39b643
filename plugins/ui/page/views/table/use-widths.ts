/** Widths of the columns of a grid. */
import { useRef } from 'preact/hooks';
import { columnWidth } from '../../../src/model/grid-sight.js';
import type { ShownCell } from '@srv/lib-records/tables/table-protocol';

interface Measured {
  readonly columns: readonly { readonly name: string; readonly type?: string }[];
  readonly rows: number;
  readonly cell: (row: number, column: number) => ShownCell;
  /** Characters that a cell counts as, if not those of its text. */
  readonly widthOf?: (row: number, column: number) => number | undefined;
}

/** Rows whose texts decide about the width of a column. */
const measured = 40;

/** A column keeps the width that its first rows gave it, so that nothing jumps. */
export function useWidths({ columns, rows, cell, widthOf }: Measured): readonly number[] {
  const known = useRef(new Map<number, number>());
  return columns.map(({ name, type = '' }, i) => {
    const old = known.current.get(i);
    if (old !== undefined) return old;
    const lengths: number[] = [];
    if (cell(0, i) === undefined && rows > 0) return columnWidth([name.length + 2, type.length]);
    for (let row = 0; row < Math.min(rows, measured); row++) {
      const found = cell(row, i);
      const own = widthOf?.(row, i);
      if (own !== undefined) lengths.push(own);
      else if (found !== undefined) lengths.push(found === null ? 4 : typeof found === 'string' ? found.length : found.start.length);
    }
    const width = columnWidth([name.length + 2, type.length, ...lengths]);
    if (lengths.length > 0) known.current.set(i, width);
    return width;
  });
}
