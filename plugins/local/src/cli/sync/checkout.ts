/** Makes a linked directory hold exactly what a commit holds. */
import { plural, sameRepository, textOf } from '@srv/lib-commands';
import { bring, toReplace } from './bring.js';
import { withLinked } from './lock.js';
import { Workspace, folderArgument } from './workspace.js';
import type { CommandContext, CommandInput, OptionValue } from '@srv/lib-commands';
import type { Outcome } from './bring.js';
import type { FoundIndex, LocalIndex } from './index-file.js';
import type { Step } from './step.js';

/** @throws Error when the user does not agree to lose local changes. */
export async function checkout(context: CommandContext, input: CommandInput, step?: Step): Promise<Outcome> {
  return checkoutFolder(context, folderArgument(context, input.args[0]), input, input.options.yes, step);
}

export async function checkoutFolder(
  context: CommandContext,
  start: string,
  input: CommandInput,
  yes: OptionValue,
  step?: Step,
): Promise<Outcome> {
  return withLinked(start, found => bringBack(found, context, input, yes, step));
}

async function bringBack(
  { folder, index, syncedAt }: FoundIndex,
  context: CommandContext,
  input: CommandInput,
  yes: OptionValue,
  step: Step | undefined,
): Promise<Outcome> {
  const { src, ref } = destination(context, index, textOf(input.options.ref));
  const work = await Workspace.open(context, { folder, src, syncedAt, input, step });
  const head =
    ref === undefined ? ((index.active?.name === 'checkout' ? index.active.head : undefined) ?? index.head) : await work.commitOf(ref);
  const differing = await toReplace(work, index, head);
  const lost = differing.filter(state => state.localChange !== undefined).length;
  if (lost > 0) {
    const question = `${folder} differs from its last sync in ${plural(lost, 'file')}; what was changed or added there will be lost. Proceed`;
    await context.confirm('Checkout', question, yes);
  }
  return bring(work, index, { operation: 'checkout', title: 'Checking out', head, src }, differing);
}

/** An interrupted checkout continues to its target. */
function destination(context: CommandContext, index: LocalIndex, ref: string | undefined) {
  const going = index.active?.name === 'checkout' ? (index.active.src ?? index.src) : index.src;
  if (ref === undefined) return { src: going };
  const uri = context.uri.ref(ref, 'ref');
  sameRepository(uri, index.src, 'checkout must be in the repository that the directory is linked with');
  return { src: { ...index.src, ref: uri.ref }, ref: uri.ref };
}
