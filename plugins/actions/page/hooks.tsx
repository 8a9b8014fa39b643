/** The hooks of a run, by their actions. */
import { Empty, Failed, Loading, shownName } from '@srv/lib-page/page';
import { Hook } from './hook.js';
import type { Pages } from '@srv/lib-page/page';
import type { ActionRun, HookRun } from './shapes.js';

interface HooksProps {
  readonly repository: string;
  readonly run: ActionRun;
  readonly hooks: Pages<HookRun>;
  /** Another number: look again. */
  readonly turn: number;
  /** Why no hook can run again. */
  readonly off: string | undefined;
  /** Has a hook run again. */
  readonly onRepeat: (hook: string) => void;
}

export function Hooks({ repository, run: { run_id: id, status }, hooks, turn, off, onRepeat }: HooksProps) {
  const actions = [...new Set(hooks.items.map(({ action }) => action))].sort();
  return (
    <>
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
                off={off}
                onRepeat={() => onRepeat(hook.hook_run_id)}
                first={status === 'failed' ? hook.status === 'failed' : hooks.items.length === 1}
              />
            ))}
        </section>
      ))}
    </>
  );
}
