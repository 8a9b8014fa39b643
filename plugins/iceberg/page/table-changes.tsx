/** Tables that a merge of one ref into another would change, with their rows and files. */
import { Empty, ask, shownName, to } from '@srv/lib-page/page';
import { fullName } from './shapes.js';
import { TableRows } from './table-rows.js';
import type { Page } from '@srv/lib-page/page';
import type { TableChange } from './shapes.js';

interface TableChangesProps {
  readonly repository: string;
  /** What would be merged into. */
  readonly left: string;
  readonly right: string;
}

const rowHeight = 62;

export function TableChanges({ repository, left, right }: TableChangesProps) {
  return (
    <TableRows
      label="Changed tables"
      load={async (after, signal) =>
        (await ask('compareTables', { repository, ref: left, rightRef: right, after, amount: 200 }, { signal })) as Page<TableChange>
      }
      of={[repository, left, right]}
      height={rowHeight}
      empty={<Empty icon="check" title="No table differs" />}
      row={change => <ChangeRow key={fullName(change)} repository={repository} at={right} change={change} />}
    />
  );
}

function ChangeRow({ repository, at, change }: { readonly repository: string; readonly at: string; readonly change: TableChange }) {
  const name = shownName(fullName(change));
  return (
    <div class="row table-change-row" role="row">
      <span role="cell">
        <span class={`badge ${change.type}`}>{change.type}</span>
      </span>
      <div class="table-change" role="cell">
        {change.type === 'removed' ? name : <a href={to('repositories', repository, 'iceberg', fullName(change), { ref: at })}>{name}</a>}
        <span class="muted small one-line" title={change.conflict ?? ''}>
          {change.conflict ??
            `${pair(change.records_before, change.records_after)} rows · ${pair(change.data_files_before, change.data_files_after)} files`}
        </span>
      </div>
    </div>
  );
}

const pair = (before: string | undefined, after: string | undefined): string =>
  before === after ? (before ?? 'no') : `${before ?? '0'} → ${after ?? '0'}`;
