/** Brings a linked directory to a commit: marked before the first change, recorded after the last. */
import { formatUri } from '@srv/lib-commands';
import { isConflict } from './compare.js';
import { interruption } from './index-file.js';
import type { PathUri } from '@srv/lib-commands';
import type { PathState } from './compare.js';
import type { LocalIndex, OperationName } from './index-file.js';
import type { Counts, Transfer } from './transfer.js';
import type { Workspace } from './workspace.js';

interface Destination {
  readonly operation: OperationName;
  /** Words on the progress bar. */
  readonly title: string;
  readonly head: string;
  /** Place the directory is linked with from then on; absent: the same. */
  readonly src?: PathUri;
  /** The directory holds changes that are not uploaded. */
  readonly edited?: boolean;
}

export interface Outcome extends Readonly<Counts> {
  /** Commit the directory is in step with now. */
  readonly id: string;
  readonly directory: string;
  readonly uri: string;
}

/**
 * @param states what is to become as `target` says.
 * @throws the first failure; when nothing was changed until then, the mark is taken away again.
 */
export async function bring(
  work: Workspace,
  index: LocalIndex,
  { operation, title, head, src = index.src, edited = false }: Destination,
  states: readonly PathState[],
): Promise<Outcome> {
  const done = { src, head };
  const moved = formatUri(src) !== formatUri(index.src);
  const counts = { downloaded: 0, uploaded: 0, removed: 0 };
  if (states.length > 0) {
    const marked = { src: index.src, head: index.head, active: { name: operation, head, src: moved ? src : undefined } };
    await work.mark(marked);
    const transfer = await guarded(work, { index, marked }, title, transfer => transfer.fetch(states, head));
    Object.assign(counts, transfer.counts);
  }
  if (states.length > 0 || index.active || index.head !== head || moved) await work.record(done, { edited });
  return outcome(work, done, counts);
}

export function outcome(work: Workspace, { src, head }: LocalIndex, counts: Readonly<Counts>): Outcome {
  return { id: head, directory: work.folder, uri: formatUri(src), ...counts };
}

/** Transfers between two states of the index. A failure that leaves an operation unfinished says how to continue. */
export async function guarded(
  work: Workspace,
  { index, marked }: { readonly index: LocalIndex; readonly marked: LocalIndex },
  title: string,
  action: (transfer: Transfer) => Promise<void>,
): Promise<Transfer> {
  let transfer: Transfer | undefined;
  try {
    transfer = await work.transfer(title);
    await action(transfer);
    return transfer;
  } catch (error) {
    // Messages must not overwrite the progress bar.
    transfer?.stop();
    if (!index.active && (transfer === undefined || isUntouched(transfer))) await work.mark(index);
    else work.context.tell(interruption(marked) ?? '');
    throw error;
  } finally {
    transfer?.stop();
  }
}

function isUntouched({ counts }: Transfer): boolean {
  return counts.downloaded + counts.uploaded + counts.removed === 0;
}

/** What the remote side changed and the directory does not have yet. */
export function incoming(states: readonly PathState[]): readonly PathState[] {
  return states.filter(({ remoteChange, localChange, inStep, special }) => remoteChange && !localChange && !inStep && !special);
}

/** What was changed in the directory and the remote side does not have yet. */
export function outgoing(states: readonly PathState[]): readonly PathState[] {
  return states.filter(({ localChange, inStep }) => localChange && !inStep);
}

/** What of the directory is not as in `head`. @throws Error when a special file is in the way. */
export async function toReplace(work: Workspace, index: LocalIndex, head: string): Promise<readonly PathState[]> {
  const states = await work.changes({
    base: index.head,
    target: head === index.head ? undefined : head,
    outcome: 'target',
    thorough: index.active !== undefined,
  });
  refuseConflicts(
    states.filter(state => state.special),
    'Move what is in the way.',
  );
  return states.filter(state => !state.inStep && !state.special);
}

/** @throws Error that lists paths changed on both sides. */
export function refuseConflicts(states: readonly PathState[], remedy: string): void {
  const conflicts = states.filter(isConflict);
  if (conflicts.length === 0) return;
  const lines = conflicts.map(({ path, special }) => `* conflict ${path}${special ? ' (a special file is in the way)' : ''}`);
  throw new Error(`${lines.join('\n')}\nConflict found: nothing was changed. ${remedy}`);
}
