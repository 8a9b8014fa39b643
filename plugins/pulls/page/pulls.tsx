/** The list of pull requests, a new one, or one of them. */

import { Button, Empty, ListPage, PagedRows, Search, to, usePages, usePlace } from '@srv/lib-page/page';
import { useMemo, useState } from 'preact/hooks';
import { CreatePull } from './create.js';
import { useOff } from './off.js';
import { PullPage } from './pull.js';
import { PullRow } from './pull-row.js';
import { listPullRequests } from './shapes.js';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';

export default function Pulls(at: RepositoryPlace) {
  const [id, tab] = at.rest;
  if (id === 'create') return <CreatePull {...at} />;
  return id === undefined ? <List {...at} /> : <PullPage key={id} {...at} id={id} tab={tab} />;
}

function List({ repository, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const status = place.query['status'] === 'closed' ? 'closed' : 'open';
  const off = useOff(repository, readOnly);
  const [filter, setFilter] = useState('');
  const pages = usePages((after, signal) => listPullRequests(repository, status, after, signal), [repository, status]);
  const needle = filter.toLowerCase();
  const shown = useMemo(
    () => pages.items.filter(({ title, author, source_branch: source }) => `${title} ${author} ${source}`.toLowerCase().includes(needle)),
    [pages.items, needle],
  );
  return (
    <ListPage>
      <div class="toolbar">
        <div class="group" role="group" aria-label="Status">
          {(['open', 'closed'] as const).map(name => (
            <Button
              key={name}
              kind="plain"
              pressed={status === name}
              onClick={() => place.vary({ status: name === 'open' ? undefined : name })}
            >
              {name === 'open' ? 'Open' : 'Closed'}
            </Button>
          ))}
        </div>
        <Search label="Find by title, author or branch" value={filter} onInput={setFilter} />
        <span class="spread">
          <Button kind="primary" icon="plus" off={off} onClick={() => place.go(to('repositories', repository, 'pulls', 'create'))}>
            Create Pull Request
          </Button>
        </span>
      </div>
      <div class="card">
        <PagedRows
          label="Pull requests"
          class="tall"
          pages={pages}
          items={shown}
          height={56}
          empty={
            <Empty icon="merge" title={needle === '' ? `No ${status} pull requests` : 'No pull request matches'}>
              {status === 'open' && needle === '' && (
                <p>Propose to merge a branch, talk about the changes, and merge them when they are good.</p>
              )}
            </Empty>
          }
          row={pull => <PullRow key={pull.id} repository={repository} pull={pull} />}
        />
      </div>
    </ListPage>
  );
}
