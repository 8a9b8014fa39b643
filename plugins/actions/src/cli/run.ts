import { argument, branchArgument, defineCommand, required, textOf } from '@srv/lib-commands';
import { eventTypes, isEventType } from '../files/event-types.js';
import { followRun, shownHook } from './follow.js';
import { readActionFile } from './read-file.js';
import type { EndedHook } from './follow.js';

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
    return followRun(context, repository, run_id);
  },
  render: shownHook,
});
