/** Reports how a linked directory and the remote side differ. */

import { isConflict } from './compare.js';
import { findIndex, interruption } from './index-file.js';
import { busyWith } from './lock.js';
import { Workspace, folderArgument } from './workspace.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { ChangeKind, PathState } from './compare.js';
import type { LocalIndex } from './index-file.js';
import type { TreesToCompare } from './workspace.js';

export interface StatusItem {
  readonly path: string;
  readonly source: 'local' | 'remote';
  readonly change: ChangeKind | 'conflict';
}

export interface Status {
  readonly items: readonly StatusItem[];
  /** An operation was begun and not ended; `items` are what it has left to do, and what was changed since. */
  readonly interrupted?: string | undefined;
}

/** @param input with `--local`, the remote side is not contacted. */
export async function status(context: CommandContext, input: CommandInput): Promise<Status> {
  const { folder, index, syncedAt } = await findIndex(folderArgument(context, input.args[0]));
  const work = await Workspace.open(context, { folder, src: index.src, syncedAt, input });
  const onlyLocal = input.options.local === true;
  const items: StatusItem[] = [];
  for await (const state of work.compare(await trees(work, index, onlyLocal))) {
    const item = itemOf(state);
    if (item && (!onlyLocal || state.localChange)) items.push(item);
  }
  const interrupted = index.active && (await stateOf(folder, index));
  return { items, interrupted };
}

/** An operation that is marked may still run. */
async function stateOf(folder: string, index: LocalIndex): Promise<string | undefined> {
  const busy = busyWith(folder);
  return busy === undefined ? interruption(index) : `${busy}: local ${index.active?.name ?? ''} has begun and not ended`;
}

async function trees(work: Workspace, { head: base, active, src }: LocalIndex, onlyLocal: boolean): Promise<TreesToCompare> {
  if (active?.name === 'clone') return { target: base };
  const target = active?.head ?? (onlyLocal ? base : await work.commitOf(src.ref));
  return target === base ? { base } : { base, target };
}

function itemOf(state: PathState): StatusItem | undefined {
  const { path, localChange, remoteChange, inStep, special } = state;
  if (inStep) return undefined;
  if (isConflict(state)) return { path, source: special ? 'remote' : 'local', change: 'conflict' };
  if (localChange) return { path, source: 'local', change: localChange };
  return remoteChange && { path, source: 'remote', change: remoteChange };
}
