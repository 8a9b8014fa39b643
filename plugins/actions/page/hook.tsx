/** A hook of a run, and on demand what it printed. */

import { Button, With, send, shownName, useAsync } from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import { badgeOf, tookText } from './shapes.js';
import type { HookRun } from './shapes.js';

interface HookProps {
  readonly repository: string;
  readonly run: string;
  readonly hook: HookRun;
  /** Another number: look again. */
  readonly turn: number;
  /** Open at once. */
  readonly first: boolean;
  /** Why it cannot run again. */
  readonly off: string | undefined;
  readonly onRepeat: () => void;
}

export function Hook({ repository, run, hook, turn, first, off, onRepeat }: HookProps) {
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
        {status === 'failed' && <Button kind="plain" icon="refresh" label={`Run ${shownName(name)} again`} off={off} onClick={onRepeat} />}
      </div>
      {open && <Output repository={repository} run={run} hook={hook} turn={turn} />}
    </>
  );
}

function Output({
  repository,
  run,
  hook: { hook_run_id: id, hook_id: name, status },
  turn,
}: Omit<HookProps, 'first' | 'off' | 'onRepeat'>) {
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
