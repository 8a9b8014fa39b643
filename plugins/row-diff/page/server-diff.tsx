/** Rows that differ between two versions of a table, as the server compares them. */
import { With, counted, shownColumn, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { DiffRows } from './diff-rows.js';
import { getRowDiff } from './shapes.js';
import type { ComparisonProps } from '@srv/lib-page/page';
import type { RowDiff } from './shapes.js';

export default function ServerDiff(at: ComparisonProps) {
  const [key, setKey] = useState<readonly string[]>();
  const { repository, left, right, path } = at;
  const found = useAsync(signal => getRowDiff(at, key, signal), [repository, left, right, path, key]);
  return (
    <With answer={found} rows={2}>
      {diff => (
        <>
          <Head diff={diff} onKey={setKey} />
          <DiffRows diff={diff} path={path} remarks={at.remarks} />
        </>
      )}
    </With>
  );
}

/** Value of the choice that is not one column; columns have their numbers, since a name may be empty. */
const several = -1;

interface HeadProps {
  readonly diff: RowDiff;
  readonly onKey: (key: readonly string[]) => void;
}

/** What differs, in numbers, and what rows are matched by. */
function Head({ diff: { schema, summary, rows }, onKey }: HeadProps) {
  const { added, removed, changed, same } = summary;
  const matching = !schema.columns.some(({ change }) => change === 'same')
    ? 'no column in common, compared'
    : schema.key.length === 0
      ? 'whole rows compared'
      : `rows matched by ${schema.key.map(shownColumn).join(', ')}`;
  const shared = schema.columns.filter(({ change }) => change === 'same');
  const columnsOf = (change: string): number => schema.columns.filter(column => column.change === change).length;
  return (
    <div class="card-head">
      {added > 0 && <span class="badge added">{counted(added, 'row')} added</span>}
      {removed > 0 && <span class="badge removed">{counted(removed, 'row')} removed</span>}
      {changed > 0 && <span class="badge changed">{counted(changed, 'row')} changed</span>}
      {columnsOf('added') > 0 && <span class="badge added">{counted(columnsOf('added'), 'column')} added</span>}
      {columnsOf('removed') > 0 && <span class="badge removed">{counted(columnsOf('removed'), 'column')} removed</span>}
      <span class="muted small grow" role="status">
        {counted(same, 'row')} the same · {matching} by the server
        {summary.truncated && ` · the first ${counted(rows.length, 'row')} that differ`}
      </span>
      <select
        aria-label="Match rows by"
        value={schema.key.length === 1 ? shared.findIndex(({ name }) => name === schema.key[0]) : several}
        onChange={({ currentTarget: { value } }) => {
          const column = shared[Number(value)];
          if (column) onKey([column.name]);
        }}
      >
        {schema.key.length !== 1 && (
          <option value={several}>{schema.key.length === 0 ? 'whole rows' : schema.key.map(shownColumn).join(', ')}</option>
        )}
        {shared.map(({ name }, i) => (
          <option key={name} value={i}>
            {shownColumn(name)}
          </option>
        ))}
      </select>
    </div>
  );
}
