/** A list that a command returned: a table of any length, sorted by any column. */

import { Rows, commitOf, counted, objectOf, objectsOf, ownValue, shownName } from '@srv/lib-page/page';
import { useMemo, useState } from 'preact/hooks';
import { cellOf, columnsOf, sorted, targetOf, widthOf } from '../../src/model/shell-rows.js';
import type { RowTarget, ShellRow } from '../../src/model/shell-rows.js';

interface ResultTableProps {
  readonly label: string;
  readonly rows: readonly ShellRow[];
  readonly origin?: { readonly repository: string; readonly ref?: string } | undefined;
}

/** Pixels. */
const rowHeight = 28;

export function ResultTable({ label, rows, origin }: ResultTableProps) {
  const [sort, setSort] = useState<{ column: string; down: boolean }>();
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const template = useMemo(() => columns.map(column => `${widthOf(column, rows)}ch`).join(' '), [columns, rows]);
  const shown = useMemo(() => (sort ? sorted(rows, sort.column, sort.down) : rows), [rows, sort]);
  const style = { gridTemplateColumns: template };
  return (
    <div class="shell-table">
      <div class="shell-scroll" tabIndex={0} role="region" aria-label={`Result of ${label}`}>
        <Rows
          label={label}
          items={shown}
          height={rowHeight}
          head={
            <div class="row head-row" role="row" style={style}>
              {columns.map(column => (
                <span
                  key={column}
                  role="columnheader"
                  aria-sort={sort?.column === column ? (sort.down ? 'descending' : 'ascending') : 'none'}
                >
                  <button
                    type="button"
                    class="sort"
                    onClick={() => setSort(sort?.column === column && sort.down ? undefined : { column, down: sort?.column === column })}
                  >
                    {shownName(column.replaceAll('_', ' '))} {sort?.column === column ? (sort.down ? '↓' : '↑') : ''}
                  </button>
                </span>
              ))}
            </div>
          }
          row={(row, i) => {
            const target = targetOf(row, origin);
            return (
              <div class="row" role="row" key={i} style={style}>
                {columns.map(column => {
                  const { text, exact, isNumber } = cellOf(column, ownValue(row, column));
                  return (
                    <span key={column} role="cell" class={`one-line ${isNumber ? 'end' : ''}`} title={exact}>
                      {target?.column === column ? <a href={hrefOf(target)}>{text}</a> : text}
                    </span>
                  );
                })}
              </div>
            );
          }}
        />
      </div>
      <p class="muted small">{counted(rows.length, 'row')}</p>
    </div>
  );
}

function hrefOf(target: RowTarget): string {
  if (target.kind === 'repository') return objectsOf(target.id);
  if (target.kind === 'commit') return commitOf(target.repository, target.id);
  if (target.kind === 'ref') return objectsOf(target.repository, target.id);
  const { kind, repository, ref, path } = target;
  return kind === 'folder' ? objectsOf(repository, ref, path) : objectOf(repository, ref, path);
}
