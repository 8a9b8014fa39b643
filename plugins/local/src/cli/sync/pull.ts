/** Brings the changes of the remote side into a linked directory. */

import { bring, incoming, outcome, outgoing, refuseConflicts, toReplace } from './bring.js';
import { interruption } from './index-file.js';
import { withLinked } from './lock.js';
import { Workspace, folderArgument } from './workspace.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { Outcome } from './bring.js';
import type { FoundIndex, LocalIndex } from './index-file.js';
import type { Step } from './step.js';

const title = 'Pulling';

/**
 * @throws Error when files were changed that are not committed, unless `--force` is given; and when another operation was
 * interrupted.
 */
export async function pull(context: CommandContext, input: CommandInput, step?: Step): Promise<Outcome> {
  return withLinked(folderArgument(context, input.args[0]), found => pullInto(found, context, input, step));
}

async function pullInto(found: FoundIndex, context: CommandContext, input: CommandInput, step: Step | undefined): Promise<Outcome> {
  const { folder, index, syncedAt } = found;
  const src = index.active?.src ?? index.src;
  const work = await Workspace.open(context, { folder, src, syncedAt, input, step });
  if (input.options.force === true) return reset(work, index);
  if (!index.active) return update(work, index);
  const first = await complete(work, index);
  const head = await work.commitOf(src.ref);
  if (head === first.id) return first;
  const second = await update(work, { src, head: first.id }, head);
  return { ...second, downloaded: first.downloaded + second.downloaded, removed: first.removed + second.removed };
}

/** Resumes where an earlier pull ended. What was changed since is kept. */
async function complete(work: Workspace, index: LocalIndex): Promise<Outcome> {
  const { name, head } = index.active ?? {};
  if (name !== 'pull' || head === undefined) throw new Error(interruption(index));
  const states = await work.changes({ base: index.head, target: head, outcome: 'merged' });
  refuseConflicts(states, 'Move your versions elsewhere and pull again, or use --force to drop them.');
  return bring(work, index, { operation: 'pull', title, head, edited: outgoing(states).length > 0 }, incoming(states));
}

async function update(work: Workspace, index: LocalIndex, known?: string): Promise<Outcome> {
  const head = known ?? (await work.commitOf(index.src.ref));
  const states = await work.changes({ base: index.head, target: head === index.head ? undefined : head, outcome: 'merged' });
  const { length } = outgoing(states);
  if (length > 0)
    throw new Error(
      `there ${length === 1 ? 'is 1 uncommitted change' : `are ${length} uncommitted changes`}. Either commit them first or use --force to drop them; "cli local status" lists them`,
    );
  refuseConflicts(states, 'Move what is in the way.');
  return bring(work, index, { operation: 'pull', title, head }, incoming(states));
}

/** The directory becomes as the remote side is. */
async function reset(work: Workspace, index: LocalIndex): Promise<Outcome> {
  const head = await work.commitOf(work.src.ref);
  const differing = await toReplace(work, index, head);
  if (differing.length === 0 && head === index.head && !index.active)
    return outcome(work, index, { downloaded: 0, uploaded: 0, removed: 0 });
  return bring(work, index, { operation: 'pull', title, head, src: work.src }, differing);
}
