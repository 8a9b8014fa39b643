/** Fills a new directory from a repository and links them. */
import type { CommandContext, CommandInput } from '@srv/kernel';
import { argument } from '../define.js';
import { formatUri } from '../uri.js';
import { bring, incoming, refuseConflicts } from './bring.js';
import type { Outcome } from './bring.js';
import { asFolder, readIndex } from './index-file.js';
import type { FoundIndex, LocalIndex } from './index-file.js';
import { isEmptyFolder, linkTarget, prepareFolder, warnOfCase } from './link.js';
import { Workspace, folderArgument } from './workspace.js';
import type { Step } from './workspace.js';

/** @throws Error when the directory holds anything, unless that is what an interrupted clone of the same place left. */
export async function clone(context: CommandContext, input: CommandInput, step?: Step): Promise<Outcome> {
  const uri = context.uri.path(argument(input, 0));
  const folder = folderArgument(context, input.args[1]);
  const begun = await interruptedClone(folder, formatUri(asFolder(uri)));
  if (!begun && !(await isEmptyFolder(folder))) throw new Error(`directory '${folder}' exists and is not empty`);
  const { src, head } = begun?.index ?? (await linkTarget(context, uri));
  const work = new Workspace(context, { folder, src, input, ...(begun ? { syncedAt: begun.syncedAt } : {}), ...(step ? { step } : {}) });
  const states = await work.changes({ target: head, outcome: 'merged' });
  refuseConflicts(states, 'Move your files elsewhere and clone again.');
  await prepareFolder(context, folder, input.options.gitignore !== false);
  const index: LocalIndex = { src, head, active: { name: 'clone' } };
  const cloned = await bring(work, index, { operation: 'clone', title: 'Cloning', head }, incoming(states));
  await warnOfCase(context, folder);
  return cloned;
}

async function interruptedClone(folder: string, uri: string): Promise<FoundIndex | undefined> {
  const found = await readIndex(folder);
  return found?.index.active?.name === 'clone' && formatUri(found.index.src) === uri ? found : undefined;
}
