/** Branches, searched by any part of their names. */
import { useState } from 'preact/hooks';
import { call } from '../../core/client.js';
import { useAnswer, usePages } from '../../core/answer.js';
import { useDenial } from '../../core/permission.js';
import { usePlace } from '../../core/location.js';
import { objectsOf, to } from '../../core/links.js';
import { branchResource } from '../../../src/model/resource.js';
import { shownName } from '../../../src/model/text.js';
import { Button } from '../../parts/button.js';
import { copyText } from '../../parts/facts.js';
import { Check, Search } from '../../parts/field.js';
import { later } from '../../parts/lazy.js';
import { Menu } from '../../parts/menu.js';
import { PagedRows } from '../../parts/rows.js';
import { Empty } from '../../parts/states.js';
import { CreateRef } from './create-ref.js';
import { DeleteRefs } from './delete-refs.js';
import { RefCells } from './ref-cells.js';
import { useSearched } from './searched.js';
import type { RepositoryPlace } from '../../core/registry.js';

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
  const facts = useAnswer(signal => call('getRepository', { repository }, { signal }), [repository]);
  const main = facts.state === 'ready' ? facts.value.default_branch : '';
  const pages = usePages(
    (after, signal) => call('listBranches', { repository, after, amount: 1000, show_hidden: hidden }, { signal }),
    [repository, hidden],
  );
  const shown = useSearched(pages, filter);
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
              <span role="columnheader" class="wide-only">
                Last commit
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
