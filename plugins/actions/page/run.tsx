/** One run: its hooks with what they printed, followed while it runs. */

import {
  Button,
  With,
  branchResource,
  messageOf,
  notify,
  repositoryResource,
  to,
  useAsync,
  useDenial,
  usePages,
  usePlace,
} from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import { Hooks } from './hooks.js';
import { RunFacts } from './run-facts.js';
import { badgeOf, getRun, listHooks, repeatRun } from './shapes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

/** Milliseconds between looks at what is running. */
const pause = 1500;

export function RunPage({ repository, run: id }: RepositoryPlace & { readonly run: string }) {
  const run = useAsync(signal => getRun(repository, id, signal), [repository, id]);
  const hooks = usePages((after, signal) => listHooks(repository, id, after, signal), [repository, id]);
  const [turn, setTurn] = useState(0);
  const place = usePlace();
  const repeat = async (hook?: string): Promise<void> => {
    try {
      place.go(to('repositories', repository, 'actions', await repeatRun(repository, id, hook)));
    } catch (error) {
      notify(messageOf(error), 'failed');
    }
  };
  const running = run.state === 'ready' && run.value.status === 'running';
  const branch = run.state === 'ready' ? run.value.branch : undefined;
  const denied = useDenial('fs:CreateCommit', branch === undefined ? undefined : resourceOf(repository, branch));
  const off = denied ?? (running ? 'it is still running' : undefined);
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
            <span class="spread group">
              <Button off={off} onClick={() => void repeat()}>
                Run again
              </Button>
              <Button kind="plain" icon="refresh" label="Refresh" onClick={reload} />
            </span>
          </div>
          <RunFacts repository={repository} run={found} />
          <Hooks repository={repository} run={found} hooks={hooks} turn={turn} off={off} onRepeat={hook => void repeat(hook)} />
        </>
      )}
    </With>
  );
}

/** What a commit would be made on; runs for tags have no branch. */
const resourceOf = (repository: string, branch: string): string =>
  branch === '' ? repositoryResource(repository) : branchResource(repository, branch);
