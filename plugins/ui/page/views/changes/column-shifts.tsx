/** How the values of each column are distributed before and after a change, over all rows of both sides. */
import { grouped, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { CellText } from '../table/cell-text.js';
import { Distribution } from '../table/distribution.js';
import { useWork } from '../table/use-work.js';
import { WorkStatus } from '../table/work-status.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { DiffColumn, TableDiff } from '@srv/lib-records/tables/table-diff';
import type { Progress, TableObject } from '@srv/lib-records/tables/table-protocol';

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
          <thead>
            <tr>
              {['Column', 'Side', 'Nulls', 'Distinct', 'Least', 'Greatest', 'Values'].map(title => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(column => (
              <Shift key={`${column.kind} ${column.name}`} column={column} before={before.found} after={after.found} />
            ))}
          </tbody>
        </table>
      </div>
      {diff.columns.length > mostColumns && <p class="card-body muted small">These are the first {mostColumns} columns.</p>}
    </>
  );
}

const placesOf = (columns: readonly DiffColumn[], side: 'before' | 'after'): readonly number[] =>
  columns.flatMap(column => column[side] ?? []);

function useSummaries(object: TableObject, columns: readonly number[]) {
  const [found, setFound] = useState<ReadonlyMap<number, ColumnSummary>>(new Map());
  const note = ({ done }: Progress): void => {
    if (done) setFound(known => new Map(known).set(done.column, done.summary));
  };
  const work = useWork({ objects: [object], name: 'summarize', input: columns.length > 0 ? { columns } : undefined, onProgress: note });
  return { found, work };
}

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
          <td class="number">{summary && grouped(summary.nulls)}</td>
          <td class="number">
            {summary && !summary.isExact ? 'about ' : ''}
            {summary && grouped(summary.distinct)}
          </td>
          <td>{summary && <CellText cell={summary.least} />}</td>
          <td>{summary && <CellText cell={summary.greatest} />}</td>
          <td class="distribution">{summary && <Distribution name={`${column.name} ${side}`} summary={summary} />}</td>
        </tr>
      ))}
    </>
  );
}
