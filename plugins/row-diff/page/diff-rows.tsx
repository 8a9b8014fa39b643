/** The rows that differ, with old and new values of the cells that do. */
import { LineNumber, grouped, ownValue, shownName } from '@srv/lib-page/page';
import type { LineRemarks } from '@srv/lib-page/page';
import type { Row, RowDiff } from './shapes.js';

/** Columns that are drawn: those of the key and those that changed first. */
const mostColumns = 60;
/** Characters of a cell that are drawn. */
const mostText = 500;

interface DiffRowsProps {
  readonly diff: RowDiff;
  readonly path: string;
  readonly remarks: LineRemarks | undefined;
}

export function DiffRows({ diff: { schema, summary, rows }, path, remarks }: DiffRowsProps) {
  if (rows.length === 0) return null;
  const changedIn = (name: string): number => summary.changed_cells[name] ?? 0;
  const rank = ({ name, change }: (typeof schema.columns)[number]): number =>
    schema.key.includes(name) ? 0 : change !== 'same' || changedIn(name) > 0 ? 1 : 2;
  const columns = schema.columns.toSorted((a, b) => rank(a) - rank(b)).slice(0, mostColumns);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Changed rows of ${shownName(path)}`}>
        <table class="grid-table">
          <thead>
            <tr>
              <th scope="col">Row</th>
              {columns.map(({ name, change }) => (
                <th key={name} scope="col" class={change === 'same' ? '' : change}>
                  {shownName(name)}
                  {change !== 'same' && <span class={`badge ${change}`}>{change}</span>}
                  {changedIn(name) > 0 && <div class="muted small">{grouped(changedIn(name))} changed</div>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i} class={row.type === 'changed' ? '' : row.type}>
                <th scope="row" class="number muted">
                  {row.type === 'removed' ? <del>{row.left_row}</del> : <LineNumber line={row.right_row} what="row" remarks={remarks} />}
                </th>
                {columns.map(({ name }) => (
                  <td key={name}>
                    <DiffCell row={row} name={name} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {schema.columns.length > mostColumns && (
        <p class="card-body muted small">
          These are {mostColumns} of {grouped(schema.columns.length)} columns.
        </p>
      )}
    </>
  );
}

function DiffCell({ row, name }: { readonly row: Row; readonly name: string }) {
  if (row.type !== 'changed') return <Value value={ownValue(row.row, name)} />;
  const cells = ownValue(row.cells, name);
  if (!cells) return Object.hasOwn(row.key, name) ? <Value value={row.key[name]} /> : <span class="muted">the same</span>;
  return (
    <>
      <del class="removed">
        <Value value={cells[0]} />
      </del>{' '}
      <ins class="added">
        <Value value={cells[1]} />
      </ins>
    </>
  );
}

function Value({ value }: { readonly value: string | null | undefined }) {
  if (value === undefined) return null;
  if (value === null) return <span class="muted">null</span>;
  return <>{shownName(value.length > mostText ? `${value.slice(0, mostText)}…` : value)}</>;
}
