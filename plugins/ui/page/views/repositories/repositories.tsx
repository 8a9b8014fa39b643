/** All repositories. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import {
  Button,
  Empty,
  Icon,
  PagedRows,
  Refusal,
  Search,
  Time,
  call,
  later,
  messageOf,
  notify,
  objectsOf,
  storage,
  usePages,
  usePlace,
} from '@srv/lib-page/page';
import { About } from './about.js';

const CreateRepository = later(() => import('./create.js').then(module => module.CreateRepository));

/** Milliseconds without typing before the server is asked. */
const pause = 250;

export function Repositories() {
  const place = usePlace();
  const search = place.query['search'] ?? '';
  const [typed, setTyped] = useState(search);
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
  const sample = useCallback(async () => {
    if (storage()?.blockstore_type !== 'local') return setCreating('sample');
    const name = 'quickstart';
    try {
      await call('createRepository', { body: { name, storage_namespace: `local://${name}`, default_branch: 'main', sample_data: true } });
      place.go(objectsOf(name));
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) place.go(objectsOf(name));
      else notify(messageOf(error), 'failed');
    }
  }, []);
  return (
    <main id="content" tabIndex={-1}>
      <div class="toolbar">
        <h1 class="grow">Repositories</h1>
        <Search label="Search repositories..." value={typed} onInput={setTyped} />
        <Button kind="primary" icon="plus" onClick={() => setCreating('empty')}>
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
              <Empty icon="database" title="Welcome! There are no repositories yet">
                <p>A repository keeps objects with all their history. Begin with sample data and a short tour, or with an empty one.</p>
                <div class="group">
                  <Button kind="primary" icon="play" onClick={() => void sample()}>
                    Create Sample Repository
                  </Button>
                  <Button onClick={() => setCreating('empty')}>Create an empty one</Button>
                </div>
              </Empty>
            ) : (
              <Empty icon="search" title="No repository matches">
                <p>No name contains “{search}”.</p>
              </Empty>
            )
          }
          row={({ id, creation_date, default_branch, storage_namespace, read_only }) => (
            <div class="row repository-row" role="row" key={id}>
              <div role="cell">
                <div class="cell-name">
                  <Icon name="database" />
                  <a href={objectsOf(id)}>{id}</a>
                  {read_only && (
                    <span class="badge">
                      <Icon name="lock" /> Read-only
                    </span>
                  )}
                </div>
                <About repository={id} otherwise={storage_namespace} />
              </div>
              <div role="cell" class="wide-only">
                <span class="badge">
                  <Icon name="branch" /> {default_branch}
                </span>
              </div>
              <div role="cell" class="muted end">
                <Time seconds={creation_date} />
              </div>
            </div>
          )}
        />
      </div>
      {creating && <CreateRepository sample={creating === 'sample'} onClose={() => setCreating(undefined)} />}
    </main>
  );
}
