/** How a table changed: columns, and rows with their cells. */

import { Alert, Button, With, call, counted, grouped, send, shownName, useAsync } from '@srv/lib-page/page';
import { useMemo, useState } from 'preact/hooks';
import { parseDelimited } from '../../../src/model/delimited.js';
import { diffTables } from '../../../src/model/table-diff.js';
import { decodeText } from '../../../src/model/text-encoding.js';
import { readTable } from '../object/read-parquet.js';
import type { Cell, Table } from '../../../src/model/table-diff.js';

/** Of each side. */
const mostRows = 20_000;
const mostBytes = 16 * 1024 * 1024;

interface TableDiffProps {
  readonly repository: string;
  readonly left: string;
  readonly right: string;
  readonly path: string;
}

async function tableAt(repository: string, ref: string, path: string, signal: AbortSignal): Promise<Table> {
  const { size_bytes: size = 0 } = await call('statObject', { repository, ref, path, user_metadata: false }, { signal });
  if (/\.parquet$/i.test(path)) {
    const { columns, rows } = await readTable({ repository, ref, path, size }, mostRows, signal);
    return { columns: columns.map(({ name }) => name), rows };
  }
  if (size > mostBytes) throw new Error('This table is too big to compare here.');
  const response = await send('getObject', { repository, ref, path }, { signal });
  const { text } = decodeText(new Uint8Array(await response.arrayBuffer()));
  const { columns, rows } = parseDelimited(text, mostRows);
  return { columns, rows };
}

/** A value that is not there is not an empty text. */
function CellText({ value }: { readonly value: Cell | undefined }) {
  return value === null ? <span class="muted">null</span> : <>{value ?? ''}</>;
}

/** Changed rows drawn at a time. */
const step = 100;

export function TableDiffView({ repository, left, right, path }: TableDiffProps) {
  const tables = useAsync(
    signal => Promise.all([tableAt(repository, left, path, signal), tableAt(repository, right, path, signal)]),
    [repository, left, right, path],
  );
  return <With answer={tables}>{([before, after]) => <Shown before={before} after={after} path={path} />}</With>;
}

function Shown({ before, after, path }: { readonly before: Table; readonly after: Table; readonly path: string }) {
  const { columns, key, changes, same } = useMemo(() => diffTables(before, after), [before, after]);
  const [drawn, setDrawn] = useState(step);
  const count = (kind: string): number => changes.filter(change => change.kind === kind).length;
  const cut = before.rows.length >= mostRows || after.rows.length >= mostRows;
  return (
    <>
      {cut && <Alert kind="note">Only the first {grouped(mostRows)} rows of each side are compared.</Alert>}
      <div class="card-head">
        {count('added') > 0 && <span class="badge added">{counted(count('added'), 'row')} added</span>}
        {count('removed') > 0 && <span class="badge removed">{counted(count('removed'), 'row')} removed</span>}
        {count('changed') > 0 && <span class="badge changed">{counted(count('changed'), 'row')} changed</span>}
        <span class="muted small">
          {counted(same, 'row')} the same · {key === undefined ? 'whole rows compared' : `rows matched by ${shownName(key)}`}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Changed rows of ${shownName(path)}`}>
        <table class="grid-table">
          <thead>
            <tr>
              {columns.map(({ name, kind }) => (
                <th key={name} scope="col" class={kind === 'same' ? '' : kind}>
                  {shownName(name)} {kind !== 'same' && <span class={`badge ${kind}`}>{kind}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.slice(0, drawn).map(({ kind, before: old = [], after: now = [] }, i) => (
              <tr key={i} class={kind === 'changed' ? '' : kind}>
                {columns.map(({ name }, j) => (
                  <td key={name}>
                    {kind === 'changed' && old[j] !== now[j] ? (
                      <>
                        <del class="removed">
                          <CellText value={old[j]} />
                        </del>{' '}
                        <ins class="added">
                          <CellText value={now[j]} />
                        </ins>
                      </>
                    ) : (
                      <CellText value={kind === 'removed' ? old[j] : now[j]} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {changes.length > drawn && (
          <Button kind="plain" onClick={() => setDrawn(drawn + step)}>
            Show {Math.min(step, changes.length - drawn)} more
          </Button>
        )}
      </div>
    </>
  );
}
