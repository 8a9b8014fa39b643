/** How the values of each column are distributed before and after a change, over all rows of both sides. */
import { shownName } from '@srv/lib-page/page';
import { populationShift } from '@srv/lib-records/tables/population-shift';
import { SummaryCells, SummaryHead } from '../table/summary-cells.js';
import { useSummaries } from '../table/use-summaries.js';
import { WorkStatus } from '../table/work-status.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { DiffColumn, TableDiff } from '@srv/lib-records/tables/table-diff';
import type { TableObject } from '@srv/lib-records/tables/table-protocol';

interface ColumnShiftsProps {
  readonly diff: TableDiff;
  readonly sides: readonly [TableObject, TableObject];
  readonly path: string;
}

/** Columns that are looked at; all of very wide tables take too long. */
const mostColumns = 200;

export function ColumnShifts({ diff, sides, path }: ColumnShiftsProps) {
  const columns = diff.columns.slice(0, mostColumns);
  const before = useSummaries(sides[0], placesOf(columns, 'before'));
  const after = useSummaries(sides[1], placesOf(columns, 'after'));
  return (
    <>
      <WorkStatus work={before.work} what="Looking at all rows before" />
      <WorkStatus work={after.work} what="Looking at all rows after" />
      <div class="scroll" tabIndex={0} role="region" aria-label={`Columns of ${shownName(path)} before and after`}>
        <table class="grid-table columns-table">
          <SummaryHead before={['Column', 'Side']} after={['Shift (PSI)']} />
          <tbody>
            {columns.map(column => (
              <Shift key={`${column.kind} ${column.name}`} column={column} before={before.found} after={after.found} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="card-body muted small">
        {diff.columns.length > mostColumns && `These are the first ${mostColumns} columns. `}
        PSI is the population stability index: below {shifts.stable} is commonly called stable, above {shifts.large} a large shift.
      </p>
    </>
  );
}

/** Where a shift is no longer small, and where it is large. */
const shifts = { stable: 0.1, large: 0.25 } as const;

const placesOf = (columns: readonly DiffColumn[], side: 'before' | 'after'): readonly number[] =>
  columns.flatMap(column => column[side] ?? []);

interface ShiftProps {
  readonly column: DiffColumn;
  readonly before: ReadonlyMap<number, ColumnSummary>;
  readonly after: ReadonlyMap<number, ColumnSummary>;
}

function Shift({ column, before, after }: ShiftProps) {
  const rows = (['before', 'after'] as const).flatMap(side => {
    const place = column[side];
    return place === undefined ? [] : [{ side, summary: (side === 'before' ? before : after).get(place) }];
  });
  const [old, now] = rows.map(({ summary }) => summary);
  return (
    <>
      {rows.map(({ side, summary }, i) => (
        <tr key={side}>
          {i === 0 && (
            <th scope="rowgroup" rowSpan={rows.length} class={column.kind === 'same' ? '' : column.kind}>
              {shownName(column.name)}
            </th>
          )}
          <td class="muted">{side}</td>
          <SummaryCells name={`${column.name} ${side}`} summary={summary} />
          {i === 0 && (
            <td class="number" rowSpan={rows.length}>
              {old && now && <Index value={populationShift(old, now)} />}
            </td>
          )}
        </tr>
      ))}
    </>
  );
}

function Index({ value }: { readonly value: number | undefined }) {
  if (value === undefined) return null;
  const size = value > shifts.large ? 'large' : value > shifts.stable ? 'moderate' : 'small';
  return (
    <>
      {value.toFixed(2)} <span class={size === 'small' ? 'muted' : 'badge changed'}>{size}</span>
    </>
  );
}
