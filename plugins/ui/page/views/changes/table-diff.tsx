/** Differences of a table between two refs: rows by a key, columns, cells. All rows of both sides are read. */

import { Button, Empty, Failed, Loading, Refusal, call, comparisons, counted, shownColumn, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { extensionOf, tableFormatOf } from '../../../src/model/object-kind.js';
import { TableView } from '../table/table-view.js';
import { useWork } from '../table/use-work.js';
import { WorkStatus } from '../table/work-status.js';
import { ChangedRows } from './changed-rows.js';
import { ColumnShifts } from './column-shifts.js';
import type { ComparisonProps, LineRemarks } from '@srv/lib-page/page';
import type { TableDiff } from '@srv/lib-records/tables/table-diff';
import type { TableObject } from '@srv/lib-records/tables/table-protocol';

/** Bytes of both sides that are read without being asked for; fewer where a part of the page compares without reading them here. */
const [small, smallBesideOthers] = [64 * 1024 * 1024, 16 * 1024 * 1024];

interface TableDiffProps {
  readonly repository: string;
  readonly left: string;
  readonly right: string;
  readonly path: string;
  readonly remarks?: LineRemarks | undefined;
}

export function TableDiffView({ repository, left, right, path, remarks }: TableDiffProps) {
  const sides = useAsync(
    signal => Promise.all([findTable({ repository, ref: left, path }, signal), findTable({ repository, ref: right, path }, signal)]),
    [repository, left, right, path],
  );
  if (sides.state === 'failed') return <Failed error={sides.error} retry={sides.reload} />;
  if (sides.state === 'loading') return <Loading rows={2} />;
  const [before, after] = sides.value;
  if (before && after) return <Compared at={{ repository, left, right, path }} sides={[before, after]} path={path} remarks={remarks} />;
  const only = before ?? after;
  if (!only) return <Empty icon="search" title="Neither side has this table" />;
  return <OneSide table={only} kind={before ? 'removed' : 'added'} />;
}

/** @returns `undefined` where the ref does not have it. */
async function findTable(
  at: { readonly repository: string; readonly ref: string; readonly path: string },
  signal: AbortSignal,
): Promise<TableObject | undefined> {
  try {
    const { size_bytes: size = 0, content_type: contentType = '' } = await call('statObject', { ...at, user_metadata: false }, { signal });
    return { ...at, size, format: tableFormatOf({ path: at.path, contentType }) ?? 'delimited' };
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** A table that only one side has, as in a conflict with its removal: all of its rows were added, or removed. */
function OneSide({ table, kind }: { readonly table: TableObject; readonly kind: 'added' | 'removed' }) {
  return (
    <>
      <div class="card-head">
        <span class={`badge ${kind}`}>all rows {kind}</span>
      </div>
      <TableView object={table} />
    </>
  );
}

interface ComparedProps extends Pick<TableDiffProps, 'path' | 'remarks'> {
  readonly at: ComparisonProps;
  readonly sides: readonly [TableObject, TableObject];
}

function Compared({ at, sides, path, remarks }: ComparedProps) {
  const other = comparisons.value.find(({ extensions }) => extensions.includes(extensionOf(path)));
  const [isWanted, setIsWanted] = useState(sides[0].size + sides[1].size <= (other ? smallBesideOthers : small));
  const [areColumns, setAreColumns] = useState(false);
  const [key, setKey] = useState<readonly string[]>();
  const work = useWork({ objects: sides, name: 'diff', input: isWanted ? (key ? { key } : {}) : undefined });
  return (
    <>
      {!isWanted && (
        <div class="card-head">
          <span class="muted small grow">These tables are large: comparing them {other ? 'in the browser' : ''} reads all of both.</span>
          <Button icon="compare" onClick={() => setIsWanted(true)}>
            {other ? 'Compare in the browser' : 'Compare all rows'}
          </Button>
        </div>
      )}
      {!isWanted && other?.render({ ...at, remarks })}
      <WorkStatus work={work} what="Comparing" />
      {work.state === 'ready' && (
        <>
          <DiffHead diff={work.value} areColumns={areColumns} onColumns={setAreColumns} onKey={setKey} />
          {areColumns && <ColumnShifts diff={work.value} sides={sides} path={path} />}
          <ChangedRows diff={work.value} sides={sides} path={path} remarks={remarks} />
        </>
      )}
    </>
  );
}

/** Value of the choice that is not a column; columns have their numbers, since a name may be empty. */
const wholeRows = -1;

interface DiffHeadProps {
  readonly diff: TableDiff;
  /** How columns have shifted is shown. */
  readonly areColumns: boolean;
  readonly onColumns: (areShown: boolean) => void;
  readonly onKey: (key: readonly string[]) => void;
}

/** What differs, in numbers, and what rows are matched by. */
function DiffHead({ diff: { counts, key, columns }, areColumns, onColumns, onKey }: DiffHeadProps) {
  const columnsOf = (kind: string): number => columns.filter(column => column.kind === kind).length;
  const shared = columns.filter(({ kind }) => kind === 'same');
  const matching =
    shared.length === 0
      ? 'no column in common'
      : key.length === 0
        ? 'whole rows compared'
        : `rows matched by ${key.map(shownColumn).join(', ')}`;
  return (
    <div class="card-head">
      {counts.added > 0 && <span class="badge added">{counted(counts.added, 'row')} added</span>}
      {counts.removed > 0 && <span class="badge removed">{counted(counts.removed, 'row')} removed</span>}
      {counts.changed > 0 && <span class="badge changed">{counted(counts.changed, 'row')} changed</span>}
      {columnsOf('added') > 0 && <span class="badge added">{counted(columnsOf('added'), 'column')} added</span>}
      {columnsOf('removed') > 0 && <span class="badge removed">{counted(columnsOf('removed'), 'column')} removed</span>}
      <span class="muted small grow" role="status">
        {counted(counts.same, 'row')} the same · {matching}
      </span>
      <Button kind="plain" icon="chart" pressed={areColumns} onClick={() => onColumns(!areColumns)}>
        Columns before and after
      </Button>
      <select
        aria-label="Match rows by"
        value={key.length === 1 ? shared.findIndex(({ name }) => name === key[0]) : wholeRows}
        onChange={({ currentTarget: { value } }) => {
          const column = shared[Number(value)];
          onKey(column ? [column.name] : []);
        }}
      >
        <option value={wholeRows}>whole rows</option>
        {shared.map(({ name }, i) => (
          <option key={name} value={i}>
            {shownColumn(name)}
          </option>
        ))}
      </select>
    </div>
  );
}
