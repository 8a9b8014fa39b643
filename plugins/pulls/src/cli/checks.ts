import { setTimeout as sleep } from 'node:timers/promises';
import { defineCommand } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import { checkLines } from './shown.js';
import type {} from '@srv/actions/operations';
import type {} from '../operations/index.js';

/** Milliseconds between two polls of running checks. */
const pollInterval = 500;

export const prChecks = defineCommand({
  name: 'pr checks',
  summary: 'Show the checks of a pull request, or run them',
  description: [
    'Checks are the pre-merge hooks of the source branch. Every merge runs them; with --run they run now, and nothing is merged.',
    'A single failed check runs again by cli actions runs rerun.',
  ].join('\n'),
  examples: ['cli pr checks srv://example-repo coddo7tpocvs73ftd7u0', 'cli pr checks srv://example-repo coddo7tpocvs73ftd7u0 --run'],
  arguments: pullArguments,
  options: [{ name: 'run', type: 'bool', default: false, description: 'run them, wait for their end, and fail when one of them fails' }],
  async run(context, input) {
    const at = pullOf(context, input);
    const api = await context.client();
    if (input.options['run'] !== true) return api.getPullRequestChecks(at);
    const { run_id } = await api.runPullRequestChecks(at);
    context.tell(`Run ID: ${run_id}`);
    while ((await api.getRun({ repository: at.repository, run_id }, { signal: context.signal })).status === 'running')
      await sleep(pollInterval, undefined, { signal: context.signal });
    const state = await api.getPullRequestChecks(at);
    const failed = state.results.filter(({ run_id: of, status }) => of === run_id && status === 'failed');
    if (failed.length > 0)
      throw new Error(
        `${failed.length} checks failed, see cli actions runs describe srv://${at.repository} ${run_id}:\n${checkLines(state).join('\n')}`,
      );
    return state;
  },
  render: state => checkLines(state).join('\n'),
});
