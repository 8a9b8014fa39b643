import { setTimeout as sleep } from 'node:timers/promises';
import { argument, branchArgument, defineCommand, everything, required, textOf } from '@srv/lib-commands';
import { eventTypes, isEventType } from '../files/event-types.js';
import { readActionFile } from './read-file.js';
import { hookTable, outputText } from './shown.js';
import type { CommandContext } from '@srv/lib-commands';
import type { ShownHook } from './shown.js';

/** Milliseconds between two polls of a run. */
const pollInterval = 200;

/** A hook that has ended. */
type EndedHook = ShownHook & { readonly run_id: string; readonly output: string };

export const runFile = defineCommand({
  name: 'actions run',
  summary: 'Run the hooks of an action file with an example event',
  description: [
    'The server runs the hooks as if the event happened on the branch; nothing happens in the repository.',
    'The file need not be in the repository. The run is recorded like others.',
  ].join('\n'),
  examples: ['cli actions run check.yaml --event pre-commit srv://example-repo/main'],
  arguments: [required('file', 'action file, or "-" for standard input'), branchArgument],
  options: [{ name: 'event', type: 'string', required: true, choices: eventTypes, description: 'event to run the hooks for' }],
  async run(context, input): Promise<AsyncIterable<EndedHook>> {
    const { repository, ref: branch } = context.uri.branch(argument(input, 1));
    const event = textOf(input.options['event']) ?? '';
    if (!isEventType(event)) throw new Error(`event '${event}' is not supported: use one of ${eventTypes.join(', ')}`);
    const action_file = await readActionFile(argument(input, 0), context.input);
    const api = await context.client();
    const { run_id } = await api.runAction({ repository, body: { action_file, event, branch } });
    context.tell(`Run ID: ${run_id}`);
    return follow(context, repository, run_id);
  },
  render: (hook, { terminal }) => `${hookTable(hook, terminal)}\n${hook.output}`,
});

/** Hooks as they end. @throws Error at the end when one of them failed. */
async function* follow({ client, signal }: CommandContext, repository: string, run_id: string): AsyncGenerator<EndedHook> {
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
