/** The hooks that check a merge, with their newest results; they can run before it. */
import { Button, With, ask, messageOf, notify, shownName, to, useAsync } from '@srv/lib-page/page';
import { useEffect } from 'preact/hooks';
import { useChecksOff } from './off.js';
import { getChecks } from './shapes.js';
import type { AsyncData } from '@srv/lib-page/page';
import type { Check, Checks, PullRequest } from './shapes.js';

/** Milliseconds between looks at what is running. */
const pause = 1500;
const badges: Readonly<Record<Check['status'], string>> = { completed: 'added', failed: 'removed', running: 'accent', skipped: '' };

interface PullChecksProps {
  readonly repository: string;
  readonly pull: PullRequest;
  /** Why nothing can be run. */
  readonly off: string | undefined;
}

export function PullChecks({ repository, pull, off }: PullChecksProps) {
  const found = useAsync(signal => getChecks(repository, pull.id, signal), [repository, pull.id, pull.status]);
  useWhileRunning(found);
  const denied = useChecksOff(repository, pull);
  const run = async (operation: string, input: Readonly<Record<string, unknown>>): Promise<void> => {
    try {
      await ask(operation, { repository, ...input });
    } catch (error) {
      notify(messageOf(error), 'failed');
    }
    found.reload();
  };
  const again = ({ run_id, hook_run_id }: Check) => void run('rerunAction', { run_id, body: { hook_run_id } });
  return (
    <section class="card gap" aria-label="Checks">
      <div class="card-body form">
        <With answer={found} rows={1}>
          {checks =>
            checks ? (
              <Shown
                {...{ repository, pull, checks }}
                off={off ?? denied}
                onRun={() => void run('runPullRequestChecks', { pull_request: pull.id })}
                onAgain={again}
              />
            ) : (
              <span class="muted">You may not see the runs of hooks</span>
            )
          }
        </With>
      </div>
    </section>
  );
}

interface ShownProps extends PullChecksProps {
  readonly checks: Checks;
  readonly onRun: () => void;
  readonly onAgain: (check: Check) => void;
}

function Shown({ repository, pull, checks: { status, results }, off, onRun, onAgain }: ShownProps) {
  const isOpen = pull.status === 'open';
  return (
    <>
      <div class="group">
        <strong>Checks</strong>
        <span class="muted">{status === 'none' ? 'none have run for this commit' : status}</span>
        {isOpen && (
          <span class="spread">
            <Button icon="play" off={off ?? (status === 'running' ? 'they are running' : undefined)} onClick={onRun}>
              Run checks
            </Button>
          </span>
        )}
      </div>
      {results.map(check => (
        <CheckRow
          key={`${check.action}/${check.hook_id}`}
          repository={repository}
          check={check}
          off={off}
          onAgain={isOpen && status !== 'running' ? () => onAgain(check) : undefined}
        />
      ))}
    </>
  );
}

interface CheckRowProps {
  readonly repository: string;
  readonly check: Check;
  /** Why it cannot be run again. */
  readonly off: string | undefined;
  readonly onAgain: (() => void) | undefined;
}

function CheckRow({ repository, check: { action, hook_id: hook, run_id: run, status }, off, onAgain }: CheckRowProps) {
  return (
    <div class="group">
      <span class={`badge ${badges[status]}`}>{status}</span>
      <a href={to('repositories', repository, 'actions', run)}>
        {shownName(action)} / {shownName(hook)}
      </a>
      {onAgain && status === 'failed' && (
        <Button kind="plain" icon="refresh" label={`Run ${shownName(hook)} again`} off={off} onClick={onAgain} />
      )}
    </div>
  );
}

function useWhileRunning(found: AsyncData<Checks | undefined>): void {
  const running = found.state === 'ready' && found.value?.status === 'running';
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(found.reload, pause);
    return () => clearInterval(timer);
  }, [running]);
}
