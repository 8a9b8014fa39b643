/** Rows and columns that are there as values, filtered and sorted in the browser. */

import { Search, counted, grouped } from '@srv/lib-page/page';
import { floatText } from '@srv/lib-records/tables/float-text';
import { compareOrders } from '@srv/lib-records/tables/table-file';
import { textOrder } from '@srv/lib-records/tables/text-order';
import { useMemo, useState } from 'preact/hooks';
import { Grid } from '../table/grid.js';
import type { Cell } from '@srv/lib-records/tables/table-file';
import type { GridSort } from '../table/grid.js';

interface Column {
  readonly name: string;
  readonly type?: string;
  /** Absent: by its values. */
  readonly isNumeric?: boolean;
}

interface DataTableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly unknown[])[];
  /** These are all rows there are. */
  readonly whole: boolean;
  readonly total?: number | undefined;
  readonly label?: string;
}

export function DataTable({ columns, rows, whole, total, label = 'Rows' }: DataTableProps) {
  const [filter, setFilter] = useState('');
  const [sort, setSort] = useState<GridSort>();
  const cells = useMemo(() => rows.map(row => columns.map((_, i) => cellOf(row[i]))), [rows, columns]);
  const shown = useMemo(
    () => columns.map((column, i) => ({ ...column, isNumeric: column.isNumeric ?? rows.every(row => isNumberOrMissing(row[i])) })),
    [rows, columns],
  );
  const found = useMemo(() => {
    const needle = filter.toLowerCase();
    const kept = needle === '' ? cells : cells.filter(row => row.some(value => value?.toLowerCase().includes(needle)));
    if (!sort) return kept;
    const { column, isDown } = sort;
    return [...kept].sort((a, b) => (isDown ? -1 : 1) * compareOrders(textOrder(a[column] ?? null), textOrder(b[column] ?? null)));
  }, [cells, filter, sort]);
  const turn = (column: number): void => {
    if (sort?.column !== column) setSort({ column, isDown: false });
    else setSort(sort.isDown ? undefined : { column, isDown: true });
  };
  return (
    <>
      <div class="card-head">
        <Search label="Filter rows" value={filter} onInput={setFilter} />
        <span class="muted small" role="status">
          {counted(found.length, 'row')}
          {filter !== '' && ` of ${grouped(rows.length)}`}
          {!whole && ` · the first of ${total === undefined ? 'more' : grouped(total)}`} · {counted(columns.length, 'column')}
        </span>
      </div>
      <Grid label={label} columns={shown} rows={found.length} cell={(row, column) => found[row]?.[column]} sort={sort} onSort={turn} />
    </>
  );
}

const isNumberOrMissing = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint' || value === null;

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return floatText(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return [...value.subarray(0, 32)].map(byte => byte.toString(16).padStart(2, '0')).join('');
  if (typeof value === 'object') return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
  return String(value);
}
