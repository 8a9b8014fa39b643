/** Follows a run until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { everything } from '@srv/lib-commands';
import { hookTable, outputText } from './shown.js';
import type { CommandContext } from '@srv/lib-commands';
import type { ShownHook } from './shown.js';

/** Milliseconds between two polls of a run. */
const pollInterval = 200;

/** A hook that has ended. */
export type EndedHook = ShownHook & { readonly run_id: string; readonly output: string };

export const shownHook = (hook: EndedHook, { terminal }: Pick<CommandContext, 'terminal'>): string =>
  `${hookTable(hook, terminal)}\n${hook.output}`;

/** Hooks as they end. @throws Error at the end when one of them failed. */
export async function* followRun({ client, signal }: CommandContext, repository: string, run_id: string): AsyncGenerator<EndedHook> {
  const api = await client();
  const seen = new Set<string>();
  for (;;) {
    const { status } = await api.getRun({ repository, run_id }, { signal });
    for await (const hook of everything(query => api.listRunHooks({ repository, run_id, ...query }))) {
      if (seen.has(hook.hook_run_id) || (hook.status === 'running' && status === 'running')) continue;
      seen.add(hook.hook_run_id);
      yield { run_id, ...hook, output: await outputText(api, repository, run_id, hook.hook_run_id) };
    }
    if (status === 'failed') throw new Error(`run ${run_id} failed: see the hooks above`);
    if (status === 'completed') return;
    await sleep(pollInterval, undefined, { signal });
  }
}
