/** Fills a new directory from a repository and links them. */

import { rmdir } from 'node:fs/promises';
import { makeFolder } from '@srv/kernel';
import { argument, formatUri } from '@srv/lib-commands';
import { bring, incoming, refuseConflicts } from './bring.js';
import { asFolder, readIndex } from './index-file.js';
import { isEmptyFolder, linkTarget, prepareFolder, warnOfCase } from './link.js';
import { locked } from './lock.js';
import { Workspace, folderArgument } from './workspace.js';
import type { CommandContext, CommandInput, PathUri } from '@srv/lib-commands';
import type { Outcome } from './bring.js';
import type { FoundIndex, LocalIndex } from './index-file.js';
import type { LinkTarget } from './link.js';
import type { Step } from './step.js';

/** @throws Error when the directory holds anything, unless that is what an interrupted clone of the same place left. */
export async function clone(context: CommandContext, input: CommandInput, step?: Step): Promise<Outcome> {
  const uri = context.uri.path(argument(input, 0));
  const folder = folderArgument(context, input.args[1]);
  // Nothing is made for what cannot be cloned.
  const target = (await findClone(folder, uri)) ? undefined : await linkTarget(context, uri);
  const made = await makeFolder(folder);
  try {
    return await locked(folder, () => fill(context, { folder, uri, input, step }, target));
  } catch (error) {
    // Only an empty one goes.
    if (made !== undefined) await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

interface CloneRequest {
  readonly folder: string;
  readonly uri: PathUri;
  readonly input: CommandInput;
  readonly step: Step | undefined;
}

async function fill(context: CommandContext, { folder, uri, input, step }: CloneRequest, target: LinkTarget | undefined): Promise<Outcome> {
  const begun = await findClone(folder, uri);
  const { src, head } = begun?.index ?? target ?? (await linkTarget(context, uri));
  const work = await Workspace.open(context, {
    folder,
    src,
    input,
    syncedAt: begun?.syncedAt,
    step,
  });
  const states = await work.changes({ target: head, outcome: 'merged' });
  refuseConflicts(states, 'Move your files elsewhere and clone again.');
  await prepareFolder(context, folder, input.options.gitignore !== false);
  const index: LocalIndex = { src, head, active: { name: 'clone' } };
  const cloned = await bring(work, index, { operation: 'clone', title: 'Cloning', head }, incoming(states));
  await warnOfCase(context, folder);
  return cloned;
}

/** The interrupted clone to complete. @throws Error without such a clone, if the directory is not empty. */
async function findClone(folder: string, uri: PathUri): Promise<FoundIndex | undefined> {
  const found = await readIndex(folder);
  if (found?.index.active?.name === 'clone' && formatUri(found.index.src) === formatUri(asFolder(uri))) return found;
  if (await isEmptyFolder(folder)) return undefined;
  throw new Error(`directory '${folder}' exists and is not empty`);
}
