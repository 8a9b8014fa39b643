/** Branches, searched by any part of their names. */

import { Alert, Button, Check, Empty, PagedRows, Search, call, grouped, useAsync, usePages, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useSelection } from '../../core/selection.js';
import { BranchDialog } from './branch-dialog.js';
import { BranchMenu, useBranchRefusals } from './branch-menu.js';
import { BranchHead, BranchRow } from './branch-rows.js';
import { DeletedBranches } from './deleted-branches.js';
import { mostSorted, useNewestFirst } from './newest-first.js';
import { useSearched } from './searched.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { BranchAction } from './branch-dialog.js';

const rowHeight = 38;

export function Branches(at: RepositoryPlace) {
  const { repository } = at;
  const place = usePlace();
  const hidden = place.query['show_hidden'] === 'true';
  const newest = place.query['sort'] === 'newest';
  const [filter, setFilter] = useState(place.query['prefix'] ?? '');
  const [action, setAction] = useState<BranchAction>();
  const selection = useSelection([]);
  const facts = useAsync(signal => call('getRepository', { repository }, { signal }), [repository]);
  const main = facts.state === 'ready' ? facts.value.default_branch : '';
  const mainBranch = useAsync(
    async signal => (main === '' ? undefined : (await call('getBranch', { repository, branch: main }, { signal })).commit_id),
    [repository, main],
  );
  const mainCommit = mainBranch.state === 'ready' ? mainBranch.value : undefined;
  const pages = usePages(
    (after, signal) => call('listBranches', { repository, after, amount: 1000, show_hidden: hidden }, { signal }),
    [repository, hidden],
  );
  const found = useSearched(pages, filter);
  const shown = useNewestFirst(repository, found, newest);
  const off = useBranchRefusals(at, main);
  return (
    <>
      <div class="toolbar">
        <Search label="Find a branch" value={filter} onInput={setFilter} />
        <Check label="Show hidden" checked={hidden} onChange={on => place.vary({ show_hidden: on })} />
        <span class="spread group">
          {selection.count > 0 && (
            <Button kind="danger" icon="trash" off={off.delete} onClick={() => setAction({ kind: 'delete', names: [...selection.ids] })}>
              Delete {selection.count}
            </Button>
          )}
          <Button kind="plain" icon="refresh" label="Refresh" onClick={pages.reload} />
          <Button kind="primary" icon="plus" off={off.create} onClick={() => setAction({ kind: 'create', source: main })}>
            Create Branch
          </Button>
        </span>
      </div>
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
          row={({ id, commit_id: commit }) => (
            <BranchRow
              key={id}
              repository={repository}
              id={id}
              commit={commit}
              isMain={id === main}
              main={main}
              mainCommit={mainCommit}
              selection={selection}
            >
              <BranchMenu
                repository={repository}
                branch={id}
                main={main}
                off={off}
                onMerge={() => setAction({ kind: 'merge', source: id })}
                onCreate={() => setAction({ kind: 'create', source: id })}
                onDelete={() => setAction({ kind: 'delete', names: [id] })}
              />
            </BranchRow>
          )}
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
            mainBranch.reload();
            pages.reload();
          }}
        />
      )}
    </>
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
