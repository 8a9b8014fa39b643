import { argument, defineCommand, everything, numberOf, repositoryArgument, required, textOf } from '@srv/lib-commands';
import { hookTable, outputText, runTable } from './shown.js';
import type { Client } from '@srv/lib-api/client';
import type { CommandInput } from '@srv/lib-commands';
import type { ShownHook, ShownRun } from './shown.js';

/** The run first, then its hooks with their outputs, one at a time. */
type Described = ({ readonly kind: 'run' } & ShownRun) | ({ readonly kind: 'hook'; readonly output: string } & ShownHook);

export const runsDescribe = defineCommand({
  name: 'actions runs describe',
  summary: 'Describe run results',
  description: 'Show a run of actions with the output of every hook, so far if it still runs.',
  examples: ['cli actions runs describe srv://example-repo i9v2k0lpocvs73ftd7u0'],
  arguments: [repositoryArgument, required('run ID', 'ID of the run')],
  options: [
    { name: 'amount', type: 'int', description: 'number of hooks to show (all by default)' },
    { name: 'after', type: 'string', description: 'show hooks after this value (used for pagination)' },
  ],
  run(context, input): AsyncIterable<Described> {
    const uri = context.uri.repository(argument(input, 0));
    context.echo('Repository', uri);
    return describe(context.client(), uri.repository, argument(input, 1), input);
  },
  render: (item, { terminal }) => (item.kind === 'run' ? runTable(item, terminal) : `\n${hookTable(item, terminal)}\n${item.output}`),
});

async function* describe(
  client: Promise<Client>,
  repository: string,
  run_id: string,
  { options }: CommandInput,
): AsyncGenerator<Described> {
  const api = await client;
  yield { kind: 'run', ...(await api.getRun({ repository, run_id })) };
  const amount = numberOf(options['amount']);
  const first = textOf(options['after']);
  const page = (query: { readonly amount: number; readonly after?: string }) =>
    api.listRunHooks({ repository, run_id, ...(first && query.after === undefined ? { after: first } : {}), ...query });
  const hooks = amount === undefined ? everything(page) : (await page({ amount })).results;
  for await (const hook of hooks) yield { kind: 'hook', ...hook, output: await outputText(api, repository, run_id, hook.hook_run_id) };
}
