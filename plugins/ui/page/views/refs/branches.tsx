/** Branches, searched by any part of their names. */
import { useState } from 'preact/hooks';
import {
  Alert,
  Button,
  Check,
  Empty,
  Menu,
  PagedRows,
  Search,
  actionItems,
  branchResource,
  call,
  copyText,
  grouped,
  later,
  objectsOf,
  shownName,
  to,
  useAsync,
  useDenial,
  usePages,
  usePlace,
} from '@srv/lib-page/page';
import { CreateRef } from './create-ref.js';
import { DeleteRefs } from './delete-refs.js';
import { mostSorted, useNewestFirst } from './newest-first.js';
import { RefCells } from './ref-cells.js';
import { useSearched } from './searched.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

const MergeDialog = later(() => import('../compare/merge-dialog.js').then(module => module.MergeDialog));

const rowHeight = 38;

export function Branches({ repository, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const hidden = place.query['show_hidden'] === 'true';
  const [filter, setFilter] = useState(place.query['prefix'] ?? '');
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [creating, setCreating] = useState<string>();
  const [deleting, setDeleting] = useState<readonly string[]>();
  const [merging, setMerging] = useState<string>();
  const facts = useAsync(signal => call('getRepository', { repository }, { signal }), [repository]);
  const main = facts.state === 'ready' ? facts.value.default_branch : '';
  const pages = usePages(
    (after, signal) => call('listBranches', { repository, after, amount: 1000, show_hidden: hidden }, { signal }),
    [repository, hidden],
  );
  const newest = place.query['sort'] === 'newest';
  const found = useSearched(pages, filter);
  const shown = useNewestFirst(repository, found, newest);
  const tooMany = newest && found.length > mostSorted;
  const off = readOnly ? 'this repository is read-only' : undefined;
  const createOff = useDenial('fs:CreateBranch');
  const deleteOff = useDenial('fs:DeleteBranch');
  const mergeOff = useDenial('fs:CreateCommit', branchResource(repository, main));
  const done = (): void => {
    setCreating(undefined);
    setDeleting(undefined);
    setMerging(undefined);
    setTicked(new Set());
    pages.reload();
  };
  const removable = shown.filter(({ id }) => id !== main);
  return (
    <>
      <div class="toolbar">
        <Search label="Find a branch" value={filter} onInput={setFilter} />
        <Check label="Show hidden" checked={hidden} onChange={on => place.vary({ show_hidden: on })} />
        <span class="spread group">
          {ticked.size > 0 && (
            <Button kind="danger" icon="trash" off={off ?? deleteOff} onClick={() => setDeleting([...ticked])}>
              Delete {ticked.size}
            </Button>
          )}
          <Button kind="plain" icon="refresh" label="Refresh" onClick={pages.reload} />
          <Button kind="primary" icon="plus" off={off ?? createOff} onClick={() => setCreating(main)}>
            Create Branch
          </Button>
        </span>
      </div>
      {tooMany && <Alert kind="note">More than {grouped(mostSorted)} branches are not sorted by time. Find some of them first.</Alert>}
      <div class="card">
        <PagedRows
          label="Branches"
          pages={pages}
          items={shown}
          height={rowHeight}
          empty={
            <Empty icon="branch" title={filter === '' ? 'No branches' : 'No branch matches'}>
              {filter === '' && <p>This repository is bare: restore its refs to see anything.</p>}
            </Empty>
          }
          head={
            <div class="row head-row branch-row" role="row">
              <span role="columnheader">
                <input
                  type="checkbox"
                  aria-label="Select all shown"
                  checked={removable.length > 0 && ticked.size >= removable.length}
                  onChange={event => setTicked(new Set(event.currentTarget.checked ? removable.map(({ id }) => id) : []))}
                />
              </span>
              <span role="columnheader">Branch</span>
              <span role="columnheader" class="wide-only" aria-sort={newest ? 'descending' : 'none'}>
                <button type="button" class="sort" onClick={() => place.vary({ sort: newest ? undefined : 'newest' })}>
                  Last commit {newest ? '↓' : ''}
                </button>
              </span>
              <span role="columnheader" class="wide-only">
                Commit
              </span>
              <span role="columnheader">
                <span class="unseen">Actions</span>
              </span>
            </div>
          }
          row={({ id, commit_id: commit }) => (
            <div class="row branch-row" role="row" key={id}>
              <span role="cell">
                {id !== main && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${shownName(id)}`}
                    checked={ticked.has(id)}
                    onChange={event =>
                      setTicked(new Set(event.currentTarget.checked ? [...ticked, id] : [...ticked].filter(other => other !== id)))
                    }
                  />
                )}
              </span>
              <RefCells repository={repository} id={id} commit={commit} icon="branch">
                {id === main && <span class="badge accent">Default</span>}
              </RefCells>
              <span role="cell">
                <Menu
                  kind="plain"
                  icon="more"
                  label={`Actions for ${shownName(id)}`}
                  items={() => [
                    { text: 'Browse', icon: 'folder', href: objectsOf(repository, id) },
                    { text: 'Commits', icon: 'commit', href: to('repositories', repository, 'commits', { ref: id }) },
                    ...(id === main
                      ? []
                      : [
                          {
                            text: `Compare with ${main}`,
                            icon: 'compare' as const,
                            href: to('repositories', repository, 'compare', { ref: main, compare: id }),
                          },
                          { text: `Merge into ${main}`, icon: 'merge' as const, off: off ?? mergeOff, act: () => setMerging(id) },
                        ]),
                    ...actionItems('branch', { repository, branch: id }),
                    { text: 'Create branch from it', icon: 'branch', off: off ?? createOff, act: () => setCreating(id) },
                    'line',
                    { text: 'Copy name', icon: 'copy', act: () => copyText(id, 'name') },
                    { text: 'Copy URI', icon: 'copy', act: () => copyText(`srv://${repository}/${id}`, 'URI') },
                    { text: 'Copy S3 URI', icon: 'copy', act: () => copyText(`s3://${repository}/${id}`, 'S3 URI') },
                    'line',
                    {
                      text: 'Delete',
                      icon: 'trash',
                      danger: true,
                      off: off ?? deleteOff ?? (id === main && 'the default branch stays'),
                      act: () => setDeleting([id]),
                    },
                  ]}
                />
              </span>
            </div>
          )}
        />
      </div>
      {creating !== undefined && (
        <CreateRef repository={repository} kind="branch" source={creating} onClose={() => setCreating(undefined)} onDone={done} />
      )}
      {merging !== undefined && (
        <MergeDialog repository={repository} source={merging} destination={main} onClose={() => setMerging(undefined)} onDone={done} />
      )}
      {deleting && (
        <DeleteRefs repository={repository} kind="branch" names={deleting} onClose={() => setDeleting(undefined)} onDone={done} />
      )}
    </>
  );
}
