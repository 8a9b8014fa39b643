import { argument, defineCommand, repositoryArgument, required, textOf } from '@srv/lib-commands';
import { followRun, shownHook } from './follow.js';
import type {} from '../operations.js';
import type { EndedHook } from './follow.js';

export const runsRerun = defineCommand({
  name: 'actions runs rerun',
  summary: 'Run the hooks of a run again',
  description: [
    'The hooks run with the event of the run and the action files that its source has now. Nothing happens in the repository:',
    'an operation that the run refused has to be tried again.',
  ].join('\n'),
  examples: [
    'cli actions runs rerun srv://example-repo i9v2k0lpocvs73ftd7u0',
    'cli actions runs rerun srv://example-repo i9v2k0lpocvs73ftd7u0 --hook 0000_0000',
  ],
  arguments: [repositoryArgument, required('run ID', 'ID of the run')],
  options: [{ name: 'hook', type: 'string', description: 'ID of one hook run: that hook alone, whatever its condition says' }],
  async run(context, input): Promise<AsyncIterable<EndedHook>> {
    const { repository } = context.uri.repository(argument(input, 0));
    const hook = textOf(input.options['hook']);
    const api = await context.client();
    const body = hook === undefined ? {} : { hook_run_id: hook };
    const { run_id } = await api.rerunAction({ repository, run_id: argument(input, 1), body });
    context.tell(`Run ID: ${run_id}`);
    return followRun(context, repository, run_id);
  },
  render: shownHook,
});
