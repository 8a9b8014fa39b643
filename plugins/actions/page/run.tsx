/** One run: its hooks with what they printed, followed while it runs. */

import { Button, With, to, useAsync, usePages } from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import { Hooks } from './hooks.js';
import { RunFacts } from './run-facts.js';
import { badgeOf, getRun, listHooks } from './shapes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

/** Milliseconds between looks at what is running. */
const pause = 1500;

export function RunPage({ repository, run: id }: RepositoryPlace & { readonly run: string }) {
  const run = useAsync(signal => getRun(repository, id, signal), [repository, id]);
  const hooks = usePages((after, signal) => listHooks(repository, id, after, signal), [repository, id]);
  const [turn, setTurn] = useState(0);
  const running = run.state === 'ready' && run.value.status === 'running';
  const reload = (): void => {
    run.reload();
    hooks.reload();
    setTurn(turn + 1);
  };
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(reload, pause);
    return () => clearTimeout(timer);
  }, [running, turn]);
  return (
    <With answer={run}>
      {found => (
        <>
          <div class="toolbar">
            <h2>
              <a href={to('repositories', repository, 'actions')}>Actions</a> / {found.event_type}
            </h2>
            <span class={`badge ${badgeOf[found.status]}`}>{found.status}</span>
            <span class="spread">
              <Button kind="plain" icon="refresh" label="Refresh" onClick={reload} />
            </span>
          </div>
          <RunFacts repository={repository} run={found} />
          <Hooks repository={repository} run={found} hooks={hooks} turn={turn} />
        </>
      )}
    </With>
  );
}
