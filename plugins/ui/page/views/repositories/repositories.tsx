/** All repositories. */

import { Button, Empty, ListPage, PagedRows, Search, call, later, useDenial, usePages, usePlace } from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import { RepositoryRow } from './repository-row.js';

const CreateRepository = later(() => import('./create.js').then(module => module.CreateRepository));
const Welcome = later(() => import('./welcome.js').then(module => module.Welcome));

/** Milliseconds without typing before the server is asked. */
const pause = 250;

export function Repositories() {
  const place = usePlace();
  const search = place.query['search'] ?? '';
  const [typed, setTyped] = useState(search);
  const denied = useDenial('fs:CreateRepository');
  const [creating, setCreating] = useState<'empty' | 'sample'>();
  useEffect(() => {
    document.title = 'Repositories · srv';
  }, []);
  useEffect(() => {
    if (typed === search) return;
    const timer = setTimeout(() => place.vary({ search: typed }, { replace: true }), pause);
    return () => clearTimeout(timer);
  }, [typed, search]);
  const pages = usePages(
    (after, signal) => call('listRepositories', { after, amount: 200, ...(search ? { search } : {}) }, { signal }),
    [search],
  );
  return (
    <main id="content" tabIndex={-1}>
      <ListPage>
        <div class="toolbar">
          <h1 class="grow">Repositories</h1>
          <Search label="Search repositories..." value={typed} onInput={setTyped} />
          <Button kind="primary" icon="plus" off={denied} onClick={() => setCreating('empty')}>
            Create Repository
          </Button>
        </div>
        <div class="card">
          <PagedRows
            label="Repositories"
            class="tall"
            pages={pages}
            items={pages.items}
            height={56}
            empty={
              search === '' ? (
                <Welcome off={denied} onCreate={setCreating} />
              ) : (
                <Empty icon="search" title="No repository matches">
                  <p>No name contains “{search}”.</p>
                </Empty>
              )
            }
            row={repository => <RepositoryRow key={repository.id} {...repository} />}
          />
        </div>
        {creating && <CreateRepository sample={creating === 'sample'} onClose={() => setCreating(undefined)} />}
      </ListPage>
    </main>
  );
}
