/** Branches, searched by any part of their names. */

import { Alert, Empty, ListPage, PagedRows, call, grouped, useAsync, usePages, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useSelection } from '../../core/selection.js';
import { BranchDialog } from './branch-dialog.js';
import { BranchMenu, useBranchRefusals } from './branch-menu.js';
import { BranchHead, BranchRow } from './branch-rows.js';
import { BranchesToolbar } from './branches-toolbar.js';
import { DeletedBranches } from './deleted-branches.js';
import { mostSorted, useNewestFirst } from './newest-first.js';
import { useSearched } from './searched.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { BranchAction } from './branch-dialog.js';
import type { BranchRefusals } from './branch-menu.js';
import type { BranchRowProps } from './branch-rows.js';

const rowHeight = 38;

export function Branches(at: RepositoryPlace) {
  const { repository, defaultBranch: main } = at;
  const place = usePlace();
  const hidden = place.query['show_hidden'] === 'true';
  const newest = place.query['sort'] === 'newest';
  const [filter, setFilter] = useState(place.query['prefix'] ?? '');
  const [action, setAction] = useState<BranchAction>();
  const selection = useSelection<string>([repository], name => name);
  const { value: mainCommit, reload: reloadMain } = useAsync(
    async signal => (await call('getBranch', { repository, branch: main }, { signal })).commit_id,
    [repository, main],
  );
  const pages = usePages(
    (after, signal) => call('listBranches', { repository, after, amount: 1000, show_hidden: hidden }, { signal }),
    [repository, hidden],
  );
  const found = useSearched(pages, filter);
  const shown = useNewestFirst(repository, found, newest);
  const off = useBranchRefusals(at, main);
  return (
    <ListPage>
      <BranchesToolbar
        filter={filter}
        onFilter={setFilter}
        off={off}
        ticked={selection.count}
        onReload={() => {
          reloadMain();
          pages.reload();
        }}
        onDelete={() => setAction({ kind: 'delete', names: selection.items })}
        onCreate={() => setAction({ kind: 'create', source: main })}
      />
      {newest && found.length > mostSorted && (
        <Alert kind="note">More than {grouped(mostSorted)} branches are not sorted by time. Find some of them first.</Alert>
      )}
      <div class="card">
        <PagedRows
          label="Branches"
          pages={pages}
          items={shown}
          height={rowHeight}
          empty={<NoBranches isFiltered={filter !== ''} />}
          head={<BranchHead removable={shown.map(({ id }) => id).filter(id => id !== main)} selection={selection} newest={newest} />}
          row={branch => <Row key={branch.id} {...{ repository, main, mainCommit, selection, off }} branch={branch} onAct={setAction} />}
        />
      </div>
      <DeletedBranches repository={repository} off={off.create} onRestored={pages.reload} />
      {action && (
        <BranchDialog
          repository={repository}
          main={main}
          action={action}
          onClose={() => setAction(undefined)}
          onDone={() => {
            setAction(undefined);
            selection.clear();
            reloadMain();
            pages.reload();
          }}
        />
      )}
    </ListPage>
  );
}

interface RowProps extends Pick<BranchRowProps, 'repository' | 'main' | 'mainCommit' | 'selection'> {
  readonly branch: { readonly id: string; readonly commit_id: string };
  readonly off: BranchRefusals;
  readonly onAct: (action: BranchAction) => void;
}

function Row({ branch: { id, commit_id: commit }, off, onAct, ...shared }: RowProps) {
  const { repository, main } = shared;
  return (
    <BranchRow {...shared} id={id} commit={commit} isMain={id === main}>
      <BranchMenu
        repository={repository}
        branch={id}
        main={main}
        off={off}
        onMerge={() => onAct({ kind: 'merge', source: id })}
        onCreate={() => onAct({ kind: 'create', source: id })}
        onDelete={() => onAct({ kind: 'delete', names: [id] })}
      />
    </BranchRow>
  );
}

function NoBranches({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty icon="branch" title="No branch matches" />;
  return (
    <Empty icon="branch" title="No branches">
      <p>This repository is bare: restore its refs to see anything.</p>
    </Empty>
  );
}
