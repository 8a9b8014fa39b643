/** Rows and columns, filtered and sorted in the browser. */

import { Button, Search, counted, grouped, shownName } from '@srv/lib-page/page';
import { useMemo, useState } from 'preact/hooks';
import { floatText } from '../../../src/model/parquet-values.js';

interface Column {
  readonly name: string;
  readonly type?: string;
  /** Values are texts of numbers. Default: what the values are. */
  readonly isNumeric?: boolean;
}

interface DataTableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly unknown[])[];
  /** These are all rows there are. */
  readonly whole: boolean;
  readonly total?: number;
}

/** Rows drawn at a time. */
const step = 200;

export function DataTable({ columns, rows, whole, total }: DataTableProps) {
  const [filter, setFilter] = useState('');
  const [sort, setSort] = useState<{ column: number; down: boolean }>();
  const [drawn, setDrawn] = useState(step);
  const found = useMemo(() => {
    const needle = filter.toLowerCase();
    const kept = needle === '' ? rows : rows.filter(row => row.some(value => textOf(value).toLowerCase().includes(needle)));
    if (!sort) return kept;
    return [...kept].sort((a, b) => (sort.down ? -1 : 1) * compare(a[sort.column], b[sort.column]));
  }, [rows, filter, sort]);
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
      <div class="scroll" tabIndex={0} role="region" aria-label="Rows">
        <table class="grid-table">
          <thead>
            <tr>
              {columns.map(({ name, type }, i) => (
                <th key={i} scope="col" aria-sort={sort?.column === i ? (sort.down ? 'descending' : 'ascending') : 'none'}>
                  <button
                    type="button"
                    class="sort"
                    onClick={() => setSort(sort?.column === i && sort.down ? undefined : { column: i, down: sort?.column === i })}
                  >
                    {shownName(name)} {sort?.column === i ? (sort.down ? '↓' : '↑') : ''}
                  </button>
                  {type !== undefined && <div class="muted small">{type}</div>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, drawn).map((row, i) => (
              <tr key={i}>
                {columns.map(({ isNumeric }, j) => (
                  <td key={j} class={(isNumeric ?? isNumber(row[j])) ? 'number' : ''} title={textOf(row[j])}>
                    {row[j] === null ? <span class="muted">null</span> : textOf(row[j])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {found.length > drawn && (
          <Button kind="plain" onClick={() => setDrawn(drawn + step)}>
            Show {Math.min(step, found.length - drawn)} more rows
          </Button>
        )}
      </div>
    </>
  );
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return floatText(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return [...value.subarray(0, 32)].map(byte => byte.toString(16).padStart(2, '0')).join('');
  if (typeof value === 'object') return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
  return String(value);
}

/** Numbers by their size, also where they have more digits than a number of the browser; other texts by the alphabet. */
function compare(a: unknown, b: unknown): number {
  const [left, right] = [textOf(a), textOf(b)];
  const [x, y] = [Number(left), Number(right)];
  if (Number.isNaN(x) || Number.isNaN(y) || left === '' || right === '') return left.localeCompare(right);
  if (x !== y) return x - y;
  const isWhole = /^-?[0-9]+$/;
  if (!isWhole.test(left) || !isWhole.test(right)) return 0;
  const difference = BigInt(left) - BigInt(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
