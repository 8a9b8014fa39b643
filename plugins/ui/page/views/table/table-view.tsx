/** A table in an object: its rows, to the last one, and what its columns are like. */
import { Alert, Button, Loading, counted, grouped, shownName } from '@srv/lib-page/page';
import { noRow } from '@srv/lib-records/tables/row-queues';
import { useState } from 'preact/hooks';
import { mediaOf } from '../../../src/model/cell-media.js';
import { CellDialog } from './cell-dialog.js';
import { CellText } from './cell-text.js';
import { ColumnSummaries } from './column-summaries.js';
import { FilterBar } from './filter-bar.js';
import { Grid } from './grid.js';
import { MediaCell } from './media-cell.js';
import { Pager, pageRows } from './pager.js';
import { TableFailed } from './table-failed.js';
import { useCells } from './use-cells.js';
import { useCount } from './use-count.js';
import { useTable } from './use-table.js';
import { useWork } from './use-work.js';
import { WorkStatus } from './work-status.js';
import type { Condition, Sorting, Wanted } from '@srv/lib-records/tables/row-selection';
import type { ShownCell, TableObject } from '@srv/lib-records/tables/table-protocol';
import type { VNode } from 'preact';
import type { CellMedia } from '../../../src/model/cell-media.js';
import type { OpenTable } from './use-table.js';

export function TableView({ object }: { readonly object: TableObject }) {
  const table = useTable(object);
  if (table.state === 'failed') return <TableFailed error={table.error} retry={table.reload} />;
  if (table.state === 'loading') return <Loading />;
  const { client, shape, setShape } = table;
  return <Opened object={object} client={client} shape={shape} setShape={setShape} />;
}

/** Milliseconds after the last key before all rows are looked at. */
const typingMs = 350;

function Opened({ object, ...table }: OpenTable & { readonly object: TableObject }) {
  const { columns, total, notes } = table.shape;
  const [text, setText] = useState('');
  const [conditions, setConditions] = useState<readonly Condition[]>([]);
  const [sorting, setSorting] = useState<Sorting>();
  const [part, setPart] = useState<'rows' | 'columns'>('rows');
  const count = useCount(object, table);
  const wanted: Wanted = {
    conditions: [...(text === '' ? [] : [{ operator: 'contains', value: text } as const]), ...conditions],
    ...(sorting ? { sorting } : {}),
  };
  const isAll = wanted.conditions.length === 0 && !sorting;
  const selection = useWork({ objects: [object], name: 'select', input: isAll ? undefined : wanted, delayMs: typingMs });
  const rows = selection.state === 'ready' ? selection.value : undefined;
  const shown = isAll ? total : rows?.length;
  const sort = (column: number): void => {
    if (sorting?.column !== column) setSorting({ column, isDown: false });
    else setSorting(sorting.isDown ? undefined : { column, isDown: true });
  };
  return (
    <>
      {notes.map(note => (
        <Alert key={note} kind="note">
          {note}
        </Alert>
      ))}
      <FilterBar text={text} onText={setText} columns={columns} conditions={conditions} onConditions={setConditions}>
        <span class="muted small grow" role="status">
          {shown !== undefined && counted(shown, 'row')}
          {!isAll && total !== undefined && ` of ${grouped(total)}`}
          {shown !== undefined && ' · '}
          {counted(columns.length, 'column')}
        </span>
        {total === undefined && <WorkStatus work={count.work} what="Counting rows" />}
        {total === undefined && count.work.state === 'idle' && <Button onClick={count.start}>Count all rows</Button>}
        <span class="group" role="group" aria-label="Part of the table">
          <Button kind="plain" pressed={part === 'rows'} onClick={() => setPart('rows')}>
            Rows
          </Button>
          <Button kind="plain" pressed={part === 'columns'} onClick={() => setPart('columns')}>
            Columns
          </Button>
        </span>
      </FilterBar>
      {!isAll && <WorkStatus work={selection} what="Looking at all rows" />}
      {part === 'columns' ? (
        <ColumnSummaries object={object} shape={table.shape} />
      ) : (
        <Pages
          {...table}
          object={object}
          key={JSON.stringify(isAll ? '' : wanted)}
          rows={isAll ? undefined : (rows ?? new Uint32Array())}
          sorting={sorting}
          onSort={sort}
        />
      )}
    </>
  );
}

/** As a page numbers them. */
interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Rows that decide whether the table shows pictures, and characters that one counts as. */
const [firstRows, mediaWidth] = [[0, 1, 2], 14];

const textOf = (cell: ShownCell): string | undefined => (typeof cell === 'object' ? cell?.start : cell);

interface PagesProps extends OpenTable {
  readonly object: TableObject;
  /** Numbers of the rows that are shown; absent: all. */
  readonly rows: Uint32Array | undefined;
  readonly sorting: Sorting | undefined;
  readonly onSort: (column: number) => void;
}

function Pages({ object, client, shape, setShape, rows, sorting, onSort }: PagesProps) {
  const { columns } = shape;
  const [first, setFirst] = useState(0);
  const [open, setOpen] = useState<Cell>();
  const total = rows ? rows.length : shape.total;
  const count = Math.min(pageRows, Math.max(0, (total ?? Infinity) - first));
  const numberOf = (row: number): number => (rows ? (rows[first + row] ?? noRow) : first + row);
  const cells = useCells({ client, rows: count, columns: columns.length, numberOf, name: String(first), onShape: setShape });
  const mediaAt = (row: number, column: number): CellMedia | undefined => {
    const text = textOf(cells.cell(row, column));
    return text === undefined ? undefined : mediaOf(text, { ...object, column: columns[column]?.name ?? '' });
  };
  const nameOf = ({ row, column }: Cell): string => `${shownName(columns[column]?.name ?? '')}, row ${grouped(numberOf(row) + 1)}`;
  const draw = (row: number, column: number): VNode => {
    const [cell, media] = [cells.cell(row, column), mediaAt(row, column)];
    const show = (): void => setOpen({ row, column });
    if (!media) return <CellText cell={cell} onOpen={show} />;
    return (
      <MediaCell
        media={media}
        length={typeof cell === 'object' && cell ? cell.length : 0}
        load={() => client.ask('cell', { table: 0, row: numberOf(row), column })}
        name={nameOf({ row, column })}
        onOpen={show}
      />
    );
  };
  return (
    <>
      {cells.error !== undefined && <TableFailed error={cells.error} retry={cells.retry} />}
      <Grid
        key={first}
        label={`Rows of ${shownName(object.path)}`}
        columns={columns}
        rows={count}
        cell={cells.cell}
        number={row => grouped(numberOf(row) + 1)}
        sort={sorting}
        onSort={onSort}
        onSight={cells.onSight}
        draw={draw}
        isTall={columns.some((_, column) => firstRows.some(row => mediaAt(row, column)?.kind === 'picture'))}
        widthOf={(row, column) => (mediaAt(row, column) ? mediaWidth : undefined)}
      />
      <Pager first={first} total={total} onFirst={setFirst} />
      {open && (
        <CellDialog
          client={client}
          row={numberOf(open.row)}
          column={open.column}
          title={nameOf(open)}
          media={mediaAt(open.row, open.column)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
