/** A repository: its name, its tabs, and the view of the one that is open. */

import {
  Boundary,
  Copy,
  Empty,
  Failed,
  Icon,
  LoadingRows,
  Refusal,
  Tabs,
  call,
  later,
  messageOf,
  noteLastPlace,
  noteStorage,
  shownName,
  tabs,
  to,
  useAsync,
  usePlace,
} from '@srv/lib-page/page';
import { useEffect } from 'preact/hooks';
import { partsLoaded } from '../core/page-parts.js';
import { AsCommand } from './as-command.js';

const OtherRepository = later(() => import('./repositories/other-repository.js').then(module => module.OtherRepository));

interface RepositoryProps {
  readonly repository: string;
  readonly tab: string | undefined;
  readonly rest: readonly string[];
}

/** Tabs whose address names the ref that is shown. */
const keepRef = new Set(['objects', 'commits']);

export function Repository({ repository, tab, rest }: RepositoryProps) {
  const place = usePlace();
  const facts = useAsync(
    async signal => {
      const found = await call('getRepository', { repository }, { signal });
      noteStorage(repository, found.storage_id);
      return found;
    },
    [repository],
  );
  useEffect(() => {
    if (tab === undefined) place.go(to('repositories', repository, 'objects'), { replace: true });
  }, [tab]);
  const ref = place.query['ref'];
  const main = facts.state === 'ready' ? facts.value.default_branch : '';
  const shown = ref || main;
  useEffect(() => {
    if (shown !== '') noteLastPlace({ repository, ref: shown });
  }, [repository, shown]);
  const open = tab === 'object' ? 'objects' : tab;
  const found = tabs.value.find(({ id }) => id === tab);
  const objectName = shownName((place.query['path'] ?? '').replace(/^.*\//s, '')) || 'Object';
  useEffect(() => {
    document.title = `${found?.title || objectName} · ${repository} · srv`;
  }, [found, repository, objectName]);
  return (
    <>
      <div class="head">
        <div class="head-inner">
          <nav class="head-title" aria-label="Breadcrumb">
            <a href={to('repositories')}>Repositories</a>
            <span class="muted">/</span>
            <h1>
              <a href={to('repositories', repository, 'objects', { ref })}>{repository}</a>
            </h1>
            {facts.state === 'ready' && facts.value.read_only && (
              <span class="badge">
                <Icon name="lock" /> Read-only
              </span>
            )}
            <Copy text={`srv://${repository}`} what="repository URI" />
            <span class="grow" />
            <AsCommand repository={repository} tab={tab ?? 'objects'} rest={rest} />
          </nav>
          <Tabs
            label="Repository"
            open={open}
            tabs={tabs.value
              .filter(({ title }) => title !== '')
              .map(({ id, title, icon }) => ({
                id,
                title,
                icon,
                href: to('repositories', repository, id, id === 'compare' ? { ref, compare: ref } : keepRef.has(id) ? { ref } : {}),
              }))}
          />
        </div>
      </div>
      <main id="content" tabIndex={-1}>
        {facts.state === 'failed' ? (
          <Unavailable repository={repository} error={facts.error} retry={facts.reload} />
        ) : facts.state === 'loading' || (!found && !partsLoaded.value) ? (
          <LoadingView />
        ) : found ? (
          <Boundary of={place.url}>
            {found.render({ repository, ref: shown, defaultBranch: main, readOnly: facts.value.read_only ?? false, rest })}
          </Boundary>
        ) : (
          <Empty icon="search" title="There is no such page" />
        )}
      </main>
    </>
  );
}

/** As high as the toolbar and the list that most views are. */
function LoadingView() {
  return (
    <>
      <div class="toolbar" />
      <div class="card">
        <LoadingRows height={38} />
      </div>
    </>
  );
}

function Unavailable({ repository, error, retry }: { readonly repository: string; readonly error: unknown; readonly retry: () => void }) {
  if (error instanceof Refusal && error.status === 410)
    return (
      <Empty icon="trash" title={`${repository} is being deleted`}>
        <p>{messageOf(error)}</p>
      </Empty>
    );
  if (error instanceof Refusal && error.status === 404) return <OtherRepository missing={repository} />;
  return <Failed error={error} retry={retry} />;
}
