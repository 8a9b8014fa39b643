/** Runs of garbage collection. */

import {
  Button,
  Confirm,
  Empty,
  ListPage,
  PagedRows,
  Size,
  Time,
  ask,
  counted,
  messageOf,
  notify,
  repositoryResource,
  useDenial,
  usePages,
} from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '@srv/lib-page/page';

interface Run {
  readonly id: string;
  readonly phase: 'marking' | 'marked' | 'sweeping' | 'done' | 'failed' | 'cancelled';
  readonly started_at: string;
  readonly dry_run: boolean;
  readonly candidates: number;
  readonly candidate_bytes: number;
  readonly deleted: number;
  readonly deleted_bytes: number;
  readonly error?: string;
}

/** Milliseconds between looks at what is running. */
const pause = 2000;
const badges: Readonly<Record<Run['phase'], string>> = {
  marking: 'accent',
  sweeping: 'accent',
  marked: 'changed',
  done: 'added',
  failed: 'removed',
  cancelled: '',
};

interface RunsProps {
  readonly repository: string;
  /** Why no run can be started. */
  readonly off: string | undefined;
}

export function Runs({ repository, off: unready }: RunsProps) {
  const denied = useDenial('retention:RunGarbageCollection', repositoryResource(repository));
  const off = unready ?? denied;
  const pages = usePages(
    async (after, signal) => (await ask('listGarbageCollections', { repository, after, amount: 100 }, { signal })) as Page<Run>,
    [repository],
  );
  const [asking, setAsking] = useState(false);
  const running = pages.items.some(({ phase }) => phase === 'marking' || phase === 'sweeping');
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(pages.reload, pause);
    return () => clearTimeout(timer);
  }, [running, pages.items]);
  const start = async (mode: 'run' | 'dry_run'): Promise<void> => {
    await ask('startGarbageCollection', { repository, body: { mode } });
    setAsking(false);
    notify(mode === 'run' ? 'Started' : 'Looking for garbage');
    pages.reload();
  };
  return (
    <ListPage>
      <div class="toolbar">
        <h3>Runs</h3>
        <span class="spread group">
          <Button off={off} onClick={() => void start('dry_run').catch((error: unknown) => notify(messageOf(error), 'failed'))}>
            Find garbage
          </Button>
          <Button kind="danger" icon="trash" off={off} onClick={() => setAsking(true)}>
            Remove garbage
          </Button>
        </span>
      </div>
      <div class="card">
        <PagedRows
          label="Runs of garbage collection"
          pages={pages}
          items={pages.items}
          height={38}
          empty={<Empty icon="history" title="No run yet" />}
          row={({
            id,
            phase,
            started_at: start_,
            dry_run: dry,
            candidates,
            candidate_bytes: bytes,
            deleted,
            deleted_bytes: gone,
            error,
          }) => (
            <div class="row gc-row" role="row" key={id}>
              <span role="cell">
                <span class={`badge ${badges[phase]}`}>{phase}</span>
              </span>
              <span role="cell" class="one-line" title={error}>
                {(phase === 'marking' ? 'Looking for garbage…' : error) ??
                  (dry ? `${counted(candidates, 'object')} could go` : `${counted(deleted, 'object')} removed`)}{' '}
                · <Size bytes={dry ? bytes : gone} />
              </span>
              <span role="cell" class="muted end wide-only">
                <Time seconds={Date.parse(start_) / 1000} />
              </span>
            </div>
          )}
        />
      </div>
      {asking && (
        <Confirm title="Remove garbage" action="Yes, remove" onClose={() => setAsking(false)} onConfirm={() => start('run')}>
          <p>Objects that the policy does not keep are removed from the store. “Find garbage” shows first how many there are.</p>
        </Confirm>
      )}
    </ListPage>
  );
}
