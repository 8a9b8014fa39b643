/** One run: its hooks with what they printed, followed while it runs. */
import { useEffect, useState } from 'preact/hooks';
import {
  Button,
  Empty,
  Failed,
  Loading,
  Time,
  With,
  commitOf,
  objectsOf,
  send,
  shortRef,
  shownName,
  to,
  useAsync,
  usePages,
} from '@srv/lib-page/page';
import { badgeOf, getRun, listHooks, tookText } from './shapes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { HookRun } from './shapes.js';

/** Milliseconds between looks at what is running. */
const pause = 1500;

export function RunPage({ repository, run: id }: RepositoryPlace & { readonly run: string }) {
  const run = useAsync(signal => getRun(repository, id, signal), [repository, id]);
  const hooks = usePages((after, signal) => listHooks(repository, id, after, signal), [repository, id]);
  const [turn, setTurn] = useState(0);
  const running = run.state === 'ready' && run.value.status === 'running';
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(() => {
      run.reload();
      hooks.reload();
      setTurn(turn + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [running, turn]);
  const actions = [...new Set(hooks.items.map(({ action }) => action))].sort();
  return (
    <With answer={run}>
      {({ event_type: event, status, branch, commit_id: commit, start_time: start, end_time: end }) => (
        <>
          <div class="toolbar">
            <h2>
              <a href={to('repositories', repository, 'actions')}>Actions</a> / {event}
            </h2>
            <span class={`badge ${badgeOf[status]}`}>{status}</span>
            <span class="spread">
              <Button
                kind="plain"
                icon="refresh"
                label="Refresh"
                onClick={() => {
                  run.reload();
                  hooks.reload();
                  setTurn(turn + 1);
                }}
              />
            </span>
          </div>
          <div class="card gap">
            <div class="card-body">
              <dl class="facts">
                <dt>Run</dt>
                <dd class="mono">{id}</dd>
                <dt>Branch</dt>
                <dd>
                  <a href={objectsOf(repository, branch)}>{shownName(branch)}</a>
                </dd>
                <dt>Commit</dt>
                <dd>
                  {commit === '' ? (
                    <span class="muted">none</span>
                  ) : (
                    <a class="mono" href={commitOf(repository, commit)}>
                      {shortRef(commit)}
                    </a>
                  )}
                </dd>
                <dt>Started</dt>
                <dd>
                  <Time seconds={Date.parse(start) / 1000} /> · took {tookText(start, end)}
                </dd>
              </dl>
            </div>
          </div>
          {hooks.state === 'loading' && <Loading rows={2} />}
          {hooks.state === 'failed' && <Failed error={hooks.error} retry={hooks.reload} />}
          {hooks.state === 'whole' && hooks.items.length === 0 && (
            <div class="card">
              <Empty icon="play" title="No hooks yet" />
            </div>
          )}
          {actions.map(action => (
            <section class="card gap" key={action} aria-label={shownName(action)}>
              <div class="card-head">
                <h3>{shownName(action)}</h3>
              </div>
              {hooks.items
                .filter(hook => hook.action === action)
                .map(hook => (
                  <Hook
                    key={hook.hook_run_id}
                    repository={repository}
                    run={id}
                    hook={hook}
                    turn={turn}
                    first={status === 'failed' ? hook.status === 'failed' : hooks.items.length === 1}
                  />
                ))}
            </section>
          ))}
        </>
      )}
    </With>
  );
}

interface HookProps {
  readonly repository: string;
  readonly run: string;
  readonly hook: HookRun;
  /** Another number: look again. */
  readonly turn: number;
  /** Open at once. */
  readonly first: boolean;
}

function Hook({ repository, run, hook, turn, first }: HookProps) {
  const { hook_id: name, status, start_time: start, end_time: end } = hook;
  const [open, setOpen] = useState(first && status !== 'skipped');
  return (
    <>
      <div class="row hook-row">
        <Button
          kind="plain"
          icon={open ? 'down' : 'right'}
          label={`${open ? 'Hide' : 'Show'} output of ${shownName(name)}`}
          off={status === 'skipped' && 'it did not run'}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <strong class="one-line">{shownName(name)}</strong>
        <span class={`badge ${badgeOf[status]}`}>{status}</span>
        <span class="muted small end">{status === 'skipped' ? '' : tookText(start, end)}</span>
      </div>
      {open && <Output repository={repository} run={run} hook={hook} turn={turn} />}
    </>
  );
}

function Output({ repository, run, hook: { hook_run_id: id, hook_id: name, status }, turn }: Omit<HookProps, 'first'>) {
  const output = useAsync(
    async signal => (await send('getRunHookOutput', { repository, run_id: run, hook_run_id: id }, { signal })).text(),
    [repository, run, id],
  );
  useEffect(() => {
    if (status === 'running') output.reload();
  }, [turn, status]);
  return (
    <With answer={output} rows={2}>
      {text => (
        <pre class="code-block hook-output" tabIndex={0} role="region" aria-label={`Output of ${shownName(name)}`}>
          {text === '' ? '(it printed nothing)' : text}
        </pre>
      )}
    </With>
  );
}
