/** Tags, searched by any part of their names. */

import {
  Button,
  Empty,
  ListPage,
  Menu,
  PagedRows,
  Search,
  call,
  copyText,
  objectsOf,
  shownName,
  useDenial,
  usePages,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { CreateRef } from './create-ref.js';
import { DeleteRefs } from './delete-refs.js';
import { RefCells } from './ref-cells.js';
import { useSearched } from './searched.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function Tags({ repository, ref, readOnly }: RepositoryPlace) {
  const [filter, setFilter] = useState('');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<string>();
  const pages = usePages((after, signal) => call('listTags', { repository, after, amount: 1000 }, { signal }), [repository]);
  const shown = useSearched(pages, filter);
  const off = readOnly ? 'this repository is read-only' : undefined;
  const createOff = useDenial('fs:CreateTag');
  const deleteOff = useDenial('fs:DeleteTag');
  const done = (): void => {
    setCreating(false);
    setDeleting(undefined);
    pages.reload();
  };
  return (
    <ListPage>
      <div class="toolbar">
        <Search label="Find a tag" value={filter} onInput={setFilter} />
        <span class="spread group">
          <Button kind="plain" icon="refresh" label="Refresh" onClick={pages.reload} />
          <Button kind="primary" icon="plus" off={off ?? createOff} onClick={() => setCreating(true)}>
            Create Tag
          </Button>
        </span>
      </div>
      <div class="card">
        <PagedRows
          label="Tags"
          pages={pages}
          items={shown}
          height={38}
          empty={
            filter === '' ? (
              <Empty icon="tag" title="No tags yet">
                <p>A tag is a name for a commit that never moves: a release, a training set, the state of a report.</p>
              </Empty>
            ) : (
              <Empty icon="search" title="No tag matches" />
            )
          }
          row={({ id, commit_id: commit }) => (
            <div class="row tag-row" role="row" key={id}>
              <RefCells repository={repository} id={id} commit={commit} icon="tag" />
              <span role="cell">
                <Menu
                  kind="plain"
                  icon="more"
                  label={`Actions for ${shownName(id)}`}
                  items={() => [
                    { text: 'Browse', icon: 'folder', href: objectsOf(repository, id) },
                    { text: 'Copy name', icon: 'copy', act: () => copyText(id, 'name') },
                    { text: 'Copy URI', icon: 'copy', act: () => copyText(`srv://${repository}/${id}`, 'URI') },
                    'line',
                    { text: 'Delete', icon: 'trash', danger: true, off: off ?? deleteOff, act: () => setDeleting(id) },
                  ]}
                />
              </span>
            </div>
          )}
        />
      </div>
      {creating && <CreateRef repository={repository} kind="tag" source={ref} onClose={() => setCreating(false)} onDone={done} />}
      {deleting !== undefined && (
        <DeleteRefs repository={repository} kind="tag" names={[deleting]} onClose={() => setDeleting(undefined)} onDone={done} />
      )}
    </ListPage>
  );
}
