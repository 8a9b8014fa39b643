/** Rows that differ between two versions of a table, as the server compares them. */
import { With, counted, shownName, useAsync } from '@srv/lib-page/page';
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
      : `rows matched by ${schema.key.map(shownName).join(', ')}`;
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
        value={schema.key.length === 1 ? schema.key[0] : ''}
        onChange={event => onKey([event.currentTarget.value])}
      >
        {schema.key.length !== 1 && (
          <option value="">{schema.key.length === 0 ? 'whole rows' : schema.key.map(shownName).join(', ')}</option>
        )}
        {schema.columns
          .filter(({ change }) => change === 'same')
          .map(({ name }) => (
            <option key={name} value={name}>
              {shownName(name)}
            </option>
          ))}
      </select>
    </div>
  );
}
