import { defineCommand } from '@srv/lib-commands';
import { directoryArgument, transferOptions } from './options.js';
import { statusTable } from './sync/render.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { StatusItem } from './sync/status.js';

interface StatusResult {
  readonly results: readonly StatusItem[];
  /** What happened to the last operation and what to do about it. */
  readonly interrupted?: string;
}

export const localStatus = defineCommand({
  name: 'local status',
  summary: 'Show the differences between a local directory and its linked path',
  description: [
    'Local changes are those since the last sync, remote ones those committed since then.',
    'After an interrupted operation, shows what it has left to do and how to continue, and fails;',
    'with --output, it succeeds and the answer has the field "interrupted".',
  ].join('\n'),
  examples: ['cli local status images', 'cli local status --local images'],
  arguments: [directoryArgument],
  options: [
    ...transferOptions,
    { name: 'local', short: 'l', type: 'bool', default: false, description: 'do not compare with the remote path' },
  ],
  async run(context, input): Promise<StatusResult | AsyncIterable<StatusResult>> {
    const { status } = await import('./sync/status.js');
    const { items, interrupted } = await status(context, input);
    if (interrupted === undefined) return { results: items };
    if (context.format === undefined) return broken({ results: items }, interrupted);
    context.tell(interrupted);
    return { results: items, interrupted };
  },
  render: ({ results }: StatusResult, { terminal }: CommandContext, _input: CommandInput) => statusTable(results, terminal),
});

/** Prints, then fails. */
async function* broken(answer: StatusResult, message: string): AsyncGenerator<StatusResult> {
  if (answer.results.length > 0) yield answer;
  throw new Error(message);
}
