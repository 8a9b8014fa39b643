import { setTimeout as sleep } from 'node:timers/promises';
import { argument, defineCommand, everything, filledTextOf, repositoryArgument } from '@srv/lib-commands';
import type {} from '../operations/index.js';
import type { WireLifecycleRun } from '../operations/lifecycle.js';

/** Milliseconds between two polls of a run. */
const pollInterval = 200;

export const lifecycleRun = defineCommand({
  name: 'lifecycle run',
  summary: 'Delete branches and expire objects now, as policies and rules say',
  examples: ['cli lifecycle run srv://example-repo --dry-run', 'cli lifecycle run srv://example-repo'],
  arguments: [repositoryArgument],
  options: [{ name: 'dry-run', type: 'bool', default: false, description: 'only show what would go' }],
  async run(context, input): Promise<WireLifecycleRun> {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const { id: run } = await api.startLifecycleRun({ repository, body: { dry_run: input.options['dry-run'] === true } });
    for (;;) {
      const state = await api.getLifecycleRun({ repository, run }, { signal: context.signal });
      if (state.phase === 'failed') throw new Error(`run ${run} failed: ${state.error ?? ''}`);
      if (state.phase === 'done') return state;
      await sleep(pollInterval, undefined, { signal: context.signal });
    }
  },
  render: runText,
});

export const lifecycleLog = defineCommand({
  name: 'lifecycle log',
  summary: 'Show what runs of the lifecycle did, newest first',
  examples: ['cli lifecycle log srv://example-repo'],
  arguments: [repositoryArgument],
  options: [{ name: 'run', type: 'string', description: 'ID of a run; all by default' }],
  async run(context, input): Promise<readonly WireLifecycleRun[]> {
    const { repository } = context.uri.repository(argument(input, 0));
    const run = filledTextOf(input.options, 'run');
    const api = await context.client();
    if (run !== undefined) return [await api.getLifecycleRun({ repository, run })];
    const runs: WireLifecycleRun[] = [];
    for await (const found of everything(page => api.listLifecycleRuns({ repository, ...page }))) runs.push(found);
    return runs;
  },
  render: runs => runs.map(runText).join('\n'),
});

function runText({ id, phase, dry_run: dry, user, started_at: at, branches, objects, skipped, actions, error }: WireLifecycleRun): string {
  const listed = actions.map(action => {
    const by = action.rules && action.rules.length > 0 ? ` by ${action.rules.join(', ')}` : '';
    if (action.kind === 'skipped') return `  ${action.branch}: skipped: ${action.reason ?? ''}`;
    if (action.kind === 'branch_deleted') return `  ${action.branch}: ${dry ? 'would be deleted' : 'deleted'}${by}`;
    return `  ${action.branch}: ${action.objects ?? 0} objects ${dry ? 'would expire' : `removed in ${action.commit_id ?? ''}`}${by}`;
  });
  const head = `${id} ${phase}${dry ? ' (dry run)' : ''} ${at} by ${user}: ${branches} branches, ${objects} objects, ${skipped} skipped`;
  return [head, ...listed, ...(error === undefined ? [] : [`  ${error}`])].join('\n');
}
