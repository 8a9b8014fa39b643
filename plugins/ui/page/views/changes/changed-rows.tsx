/** The rows that differ between two tables, with the values of both sides. */
import { Failed, LineNumber, Loading, shownName } from '@srv/lib-page/page';
import { noRow } from '@srv/lib-records/tables/row-queues';
import { useState } from 'preact/hooks';
import { CellText } from '../table/cell-text.js';
import { Grid } from '../table/grid.js';
import { Pager, pageRows } from '../table/pager.js';
import { useCells } from '../table/use-cells.js';
import { useTable } from '../table/use-table.js';
import type { LineRemarks } from '@srv/lib-page/page';
import type { DiffColumn, TableDiff } from '@srv/lib-records/tables/table-diff';
import type { ShownCell, TableObject, TableShape } from '@srv/lib-records/tables/table-protocol';
import type { TableClient } from '../../tables/table-client.js';

interface ChangedRowsProps {
  readonly diff: TableDiff;
  readonly sides: readonly [TableObject, TableObject];
  readonly path: string;
  readonly remarks?: LineRemarks | undefined;
}

export function ChangedRows({ diff, sides, path, remarks }: ChangedRowsProps) {
  const before = useTable(sides[0]);
  const after = useTable(sides[1]);
  if (diff.after.length === 0) return null;
  const failed = [before, after].find(table => table.state === 'failed');
  if (failed?.state === 'failed') return <Failed error={failed.error} retry={failed.reload} />;
  if (before.state !== 'ready' || after.state !== 'ready') return <Loading rows={2} />;
  return <Rows diff={diff} before={before} after={after} path={path} remarks={remarks} />;
}

interface RowsProps extends Pick<ChangedRowsProps, 'diff' | 'path' | 'remarks'> {
  readonly before: Side;
  readonly after: Side;
}

interface Side {
  readonly client: TableClient;
  readonly shape: TableShape;
}

function Rows({ diff, before, after, path, remarks }: RowsProps) {
  const [first, setFirst] = useState(0);
  const { columns } = diff;
  const total = diff.after.length;
  const count = Math.min(pageRows, total - first);
  const name = String(first);
  const old = useSide(
    before,
    diff.before,
    columns.map(column => column.before),
    { first, count, name },
  );
  const now = useSide(
    after,
    diff.after,
    columns.map(column => column.after),
    { first, count, name },
  );
  const kindOf = (row: number): 'added' | 'removed' | 'changed' =>
    diff.before[first + row] === noRow ? 'added' : diff.after[first + row] === noRow ? 'removed' : 'changed';
  const isShared = (row: number, column: number): boolean => kindOf(row) === 'changed' && columns[column]?.kind === 'same';
  const isDifferent = (row: number, column: number): boolean =>
    isShared(row, column) && textOf(old.cell(row, column)) !== textOf(now.cell(row, column));
  return (
    <>
      <Grid
        key={first}
        label={`Changed rows of ${shownName(path)}`}
        columns={columns}
        rows={count}
        cell={(row, column) => {
          const [left, right] = [old.cell(row, column), now.cell(row, column)];
          // Both of them decide about the width.
          if (isShared(row, column) && (left === undefined || right === undefined)) return undefined;
          return isDifferent(row, column) ? both(left, right) : one(left, right);
        }}
        draw={(row, column) =>
          isDifferent(row, column) ? (
            <>
              <del class="removed">
                <CellText cell={old.cell(row, column)} />
              </del>{' '}
              <ins class="added">
                <CellText cell={now.cell(row, column)} />
              </ins>
            </>
          ) : (
            <CellText cell={one(old.cell(row, column), now.cell(row, column))} />
          )
        }
        number={row => {
          const [old, now] = [diff.before[first + row] ?? noRow, diff.after[first + row] ?? noRow];
          return now === noRow ? <del>{old + 1}</del> : <LineNumber line={now + 1} what="row" remarks={remarks} />;
        }}
        rowKind={row => (kindOf(row) === 'changed' ? '' : kindOf(row))}
        onSight={sight => {
          old.onSight(sight);
          now.onSight(sight);
        }}
      />
      <Pager first={first} total={total} onFirst={setFirst} />
    </>
  );
}

const one = (old: ShownCell, now: ShownCell): ShownCell => (now === undefined ? old : now);
/** As wide as both. */
const both = (old: ShownCell, now: ShownCell): ShownCell => `${drawnText(old)} ${drawnText(now)}  `;

const drawnText = (cell: ShownCell): string => (cell === null ? 'null' : typeof cell === 'object' ? cell.start : (cell ?? ''));

function textOf(cell: ShownCell): string {
  if (cell === undefined) return '';
  if (cell === null) return '\0null';
  return typeof cell === 'string' ? cell : `${cell.length} ${cell.start}`;
}

/** Cells of one side, in the order of the columns of the difference. */
function useSide(
  { client, shape }: Side,
  numbers: Uint32Array,
  places: readonly (DiffColumn['before'] | undefined)[],
  { first, count, name }: { readonly first: number; readonly count: number; readonly name: string },
) {
  const cells = useCells({
    client,
    rows: count,
    columns: shape.columns.length,
    numberOf: row => numbers[first + row] ?? noRow,
    name,
  });
  return {
    cell: (row: number, column: number): ShownCell => {
      const place = places[column];
      return place === undefined || numbers[first + row] === noRow ? undefined : cells.cell(row, place);
    },
    onSight: (sight: Parameters<typeof cells.onSight>[0]): void => {
      const seen = places.slice(sight.firstColumn, sight.lastColumn).filter(place => place !== undefined);
      if (seen.length > 0) cells.onSight({ ...sight, firstColumn: Math.min(...seen), lastColumn: Math.max(...seen) + 1 });
    },
  };
}
