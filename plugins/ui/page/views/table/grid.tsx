/** A table of any size: rows and columns are drawn as they come into view. */
import { shownName } from '@srv/lib-page/page';
import { useEffect, useRef } from 'preact/hooks';
import { sightOf } from '../../../src/model/grid-sight.js';
import { CellText } from './cell-text.js';
import { useViewport } from './use-viewport.js';
import { useWidths } from './use-widths.js';
import type { ShownCell } from '@srv/lib-records/tables/table-protocol';
import type { ComponentChildren } from 'preact';
import type { Sight } from '../../../src/model/grid-sight.js';

interface GridColumn {
  readonly name: string;
  readonly type?: string;
  readonly isNumeric?: boolean;
  /** Of a difference. */
  readonly kind?: 'same' | 'added' | 'removed';
}

export interface GridSort {
  readonly column: number;
  readonly isDown: boolean;
}

interface GridProps {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  readonly rows: number;
  readonly cell: (row: number, column: number) => ShownCell;
  /** Instead of the text alone. */
  readonly draw?: (row: number, column: number) => ComponentChildren;
  /** Shown before each row. */
  readonly number?: (row: number) => ComponentChildren;
  readonly rowKind?: (row: number) => string;
  readonly sort?: GridSort | undefined;
  readonly onSort?: (column: number) => void;
  readonly onSight?: (sight: Sight) => void;
  /** Rows are as high as small pictures. */
  readonly isTall?: boolean;
  /** Characters that decide about the width of a column, if not those of the text. */
  readonly widthOf?: (row: number, column: number) => number | undefined;
  readonly children?: ComponentChildren;
}

/** As the style has it. */
const [lowRow, tallRow] = [30, 84];
const numberWidth = 84;

export function Grid(props: GridProps) {
  const { label, columns, rows, number, sort, onSort, onSight, rowKind, children } = props;
  const rowHeight = props.isTall === true ? tallRow : lowRow;
  const box = useRef<HTMLDivElement>(null);
  const widths = useWidths(props);
  const before = number ? numberWidth : 0;
  const view = useViewport(box, `${rows} ${columns.length}`);
  const sight = sightOf({ ...view, width: view.width - before }, rows, rowHeight, widths);
  const { firstRow, lastRow, firstColumn, lastColumn } = sight;
  useEffect(() => onSight?.(sight), [firstRow, lastRow, firstColumn, lastColumn, onSight]);
  const drawn = columns.slice(firstColumn, lastColumn);
  const left = sum(widths.slice(0, firstColumn));
  const right = sum(widths.slice(lastColumn));
  return (
    <div class="scroll" ref={box} tabIndex={0} role="region" aria-label={label}>
      <table
        class={`grid-table in-sight ${props.isTall === true ? 'tall' : ''}`}
        aria-rowcount={rows + 1}
        aria-colcount={columns.length + (number ? 1 : 0)}
        style={{ width: `${before + sum(widths)}px` }}
      >
        <colgroup>
          {number && <col style={{ width: `${numberWidth}px` }} />}
          <col style={{ width: `${left}px` }} />
          {drawn.map((_, i) => (
            <col key={i} style={{ width: `${widths[firstColumn + i] ?? 0}px` }} />
          ))}
          <col style={{ width: `${right}px` }} />
        </colgroup>
        <thead>
          <tr>
            {number && <th scope="col">Row</th>}
            <td class="aside" aria-hidden="true" />
            {drawn.map((column, i) => (
              <HeadCell key={firstColumn + i} column={column} at={firstColumn + i} sort={sort} onSort={onSort} />
            ))}
            <td class="aside" aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {firstRow > 0 && <Gap height={firstRow * rowHeight} />}
          {Array.from({ length: Math.max(0, lastRow - firstRow) }, (_, i) => firstRow + i).map(row => (
            <tr key={row} aria-rowindex={row + 2} class={rowKind?.(row) ?? ''}>
              {number && (
                <th scope="row" class="number muted">
                  {number(row)}
                </th>
              )}
              <td class="aside" aria-hidden="true" />
              {drawn.map((column, i) => (
                <BodyCell key={firstColumn + i} {...props} row={row} at={firstColumn + i} isNumeric={column.isNumeric === true} />
              ))}
              <td class="aside" aria-hidden="true" />
            </tr>
          ))}
          {lastRow < rows && <Gap height={(rows - lastRow) * rowHeight} />}
        </tbody>
      </table>
      {children}
    </div>
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The place of rows that are not in sight. */
function Gap({ height }: { readonly height: number }) {
  return (
    <tr style={{ height: `${height}px` }}>
      <td class="aside" aria-hidden="true" />
    </tr>
  );
}

interface HeadCellProps {
  readonly column: GridColumn;
  readonly at: number;
  readonly sort: GridSort | undefined;
  readonly onSort: ((column: number) => void) | undefined;
}

function HeadCell({ column: { name, type, kind = 'same' }, at, sort, onSort }: HeadCellProps) {
  const isSorted = sort?.column === at;
  const direction = isSorted ? (sort.isDown ? 'descending' : 'ascending') : 'none';
  return (
    <th scope="col" class={kind === 'same' ? '' : kind} aria-colindex={at + 1} title={name} {...(onSort ? { 'aria-sort': direction } : {})}>
      {onSort ? (
        <button type="button" class="sort" onClick={() => onSort(at)}>
          {shownName(name)} {isSorted ? (sort.isDown ? '↓' : '↑') : ''}
        </button>
      ) : (
        shownName(name)
      )}
      {kind !== 'same' && <span class={`badge ${kind}`}>{kind}</span>}
      {type !== undefined && <div class="muted small type">{type}</div>}
    </th>
  );
}

interface BodyCellProps extends GridProps {
  readonly row: number;
  readonly at: number;
  readonly isNumeric: boolean;
}

function BodyCell({ cell, draw, row, at, isNumeric }: BodyCellProps) {
  const found = cell(row, at);
  const title = typeof found === 'string' ? found : undefined;
  return (
    <td class={isNumeric ? 'number' : ''} aria-colindex={at + 1} {...(title === undefined ? {} : { title })}>
      {draw ? draw(row, at) : <CellText cell={found} />}
    </td>
  );
}
