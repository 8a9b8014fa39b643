import { UsageError, defineCommand, textOf, yesOption } from '@srv/lib-commands';
import { directoryArgument, transferOptions } from './options.js';
import { summary, total } from './sync/render.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { Outcome } from './sync/bring.js';

export const localCheckout = defineCommand({
  name: 'local checkout',
  localEffects: true,
  summary: 'Make a local directory match a commit',
  description: [
    'Without --ref, drops what was changed in the directory since the last sync, and undoes a pull that was interrupted.',
    'With --ref, the directory comes to another branch, tag or commit, and is linked with it from then on.',
    'Asks before changes are lost. A checkout that was interrupted is completed.',
  ].join('\n'),
  examples: ['cli local checkout images', 'cli local checkout --ref srv://example-repo/v1 images', 'cli local checkout --all'],
  arguments: [directoryArgument],
  options: [
    ...transferOptions,
    { name: 'all', type: 'bool', default: false, description: 'check out all linked directories below the directory' },
    { name: 'ref', short: 'r', type: 'string', description: 'ref URI to check out, srv://<repository>/<ref>' },
    yesOption,
  ],
  async run(context, input): Promise<Outcome | Outcome[]> {
    if (input.options.all !== true) return (await import('./sync/checkout.js')).checkout(context, input);
    if (textOf(input.options.ref) !== undefined)
      throw new UsageError('if any flags in the group [ref all] are set none of the others can be; [all ref] were all set');
    return checkoutAll(context, input);
  },
  render: (result: Outcome | Outcome[], { terminal }: CommandContext, _input: CommandInput) =>
    Array.isArray(result) ? total(result) : summary('Checkout', result, terminal),
});

/** Asks once. */
async function checkoutAll(context: CommandContext, input: CommandInput): Promise<Outcome[]> {
  const [{ checkoutFolder }, { searchStart }, { findLinked }] = await Promise.all([
    import('./sync/checkout.js'),
    import('./sync/workspace.js'),
    import('./sync/linked.js'),
  ]);
  const start = await searchStart(context, input.args[0]);
  const folders: string[] = [];
  for await (const { folder } of findLinked(start, context.warn)) folders.push(folder);
  if (folders.length === 0) throw new Error(`no linked directory at or below ${start}`);
  const question = `What was changed or added since the last sync in any of ${folders.join(', ')} will be lost. Proceed`;
  await context.confirm('Checkout', question, input.options.yes);
  const outcomes: Outcome[] = [];
  for (const folder of folders) outcomes.push(await checkoutFolder(context, folder, input, true));
  return outcomes;
}
