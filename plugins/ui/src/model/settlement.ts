/** Conflicts of a merge, settled path by path with commits on its source. */

// Completes the types of operations.
import type {} from '@srv/engine/operations';
import type { CallInput, CallResult, Operations } from '@srv/lib-api/client';

/** The branch whose object is taken. */
export type Side = 'source' | 'destination';

/** Two branches, one of which is merged into the other. */
export interface Merge {
  readonly repository: string;
  readonly source: string;
  readonly destination: string;
}

/** What is said of the merge itself. */
export interface MergeCommit {
  readonly message: string;
  readonly squash_merge?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Heads of both branches when their conflicts were listed. */
export interface Heads {
  readonly sourceHead: string;
  readonly destinationHead: string;
}

/** Calls an operation of the API. @throws an error with the `status` of the answer. */
export type CallApi = <K extends Extract<keyof Operations, string>>(
  operationId: K,
  input: CallInput<Operations[K]>,
  options?: { readonly signal?: AbortSignal },
) => Promise<CallResult<Operations[K]>>;

/** A branch has changed since the conflicts were listed: there may be others now, and what was chosen may look different. */
export class ConflictsChanged extends Error {
  constructor(branch: string) {
    super(`“${branch}” has changed since the conflicts were listed. They are listed again: choose from the new list.`);
    this.name = 'ConflictsChanged';
  }
}

interface Conflicts {
  /** The first of them, at least one more than were asked for where there are more. */
  readonly paths: readonly string[];
  /** The commit that both sides come from; `undefined` where it cannot be seen, and for unrelated branches. */
  readonly base: string | undefined;
  readonly heads: Heads;
  readonly settlement: Settlement;
}

/** The conflicts between the heads of both branches, and their settlement. @param most paths. */
export async function findConflicts(call: CallApi, merge: Merge, most: number, signal: AbortSignal): Promise<Conflicts> {
  const { repository, source, destination } = merge;
  const [sourceHead, destinationHead] = (await Promise.all(
    [source, destination].map(async branch => (await call('getBranch', { repository, branch }, { signal })).commit_id),
  )) as [string, string];
  const heads = { sourceHead, destinationHead };
  const [paths, base] = await Promise.all([
    conflictsBetween(call, repository, heads, { most, signal }),
    call('findMergeBase', { repository, sourceRef: sourceHead, destinationBranch: destinationHead }, { signal }).catch(() => undefined),
  ]);
  return { paths, base: base?.base_commit_id || undefined, heads, settlement: new Settlement(call, { ...merge, ...heads }) };
}

async function conflictsBetween(
  call: CallApi,
  repository: string,
  { sourceHead, destinationHead }: Heads,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = ''; ; ) {
    const input = { repository, leftRef: destinationHead, rightRef: sourceHead, after, amount: 1000 };
    const { results, pagination } = await call('diffRefs', input, { signal });
    found.push(...results.filter(({ type }) => type === 'conflict').map(({ path }) => path));
    if (!pagination.has_more || found.length > most) return found;
    after = pagination.next_offset;
  }
}

/**
 * Merges the listed head of the destination into the source, where the source's objects stay; puts the destination's in their place
 * where they were chosen, and commits that. Afterwards the source holds everything of that head, and conflicts only with later
 * changes of the destination.
 *
 * After a failure it continues where it was, also when the answer to a change was lost, and when choices have changed meanwhile.
 */
class Settlement {
  readonly #call: CallApi;
  readonly #merge: Merge & Heads;
  #isMergeTried = false;
  #isMerged = false;
  /** What the source holds of paths that were copied; `unknown` until the answer is there. */
  readonly #held = new Map<string, Side | 'unknown'>();
  #hasCopies = false;

  constructor(call: CallApi, merge: Merge & Heads) {
    this.#call = call;
    this.#merge = merge;
  }

  /**
   * @param choices one for each conflict; without conflicts the source is left as it is.
   * @throws ConflictsChanged if the source has moved before anything was changed; what the API refuses.
   */
  async apply(choices: ReadonlyMap<string, Side>): Promise<void> {
    if (choices.size === 0) return;
    await this.#mergeDestination();
    for (const [path, side] of choices) await this.#take(path, side);
    await this.#commit([...choices].flatMap(([path, side]) => (side === 'destination' ? [path] : [])));
  }

  /**
   * The merge itself, after {@link Settlement.apply}.
   * @returns its commit. @throws ConflictsChanged if the destination has changes that conflict by now; what the API refuses.
   */
  async merge(commit: MergeCommit): Promise<string> {
    const { repository, source, destination } = this.#merge;
    try {
      const input = { repository, sourceRef: source, destinationBranch: destination, body: commit };
      return (await this.#call('mergeIntoBranch', input)).reference;
    } catch (error) {
      throw statusOf(error) === 409 ? new ConflictsChanged(destination) : error;
    }
  }

  async #mergeDestination(): Promise<void> {
    if (this.#isMerged) return;
    const { repository, source, destination, sourceHead, destinationHead } = this.#merge;
    // The answer to an attempt may be lost although it was made.
    if (!(this.#isMergeTried && (await this.#holdsDestination()))) {
      const { commit_id: head } = await this.#call('getBranch', { repository, branch: source });
      if (head !== sourceHead) throw new ConflictsChanged(source);
      this.#isMergeTried = true;
      const body = { strategy: 'dest-wins', message: `Merge ${destination} into ${source} to settle conflicts` };
      await this.#call('mergeIntoBranch', { repository, sourceRef: destinationHead, destinationBranch: source, body });
    }
    this.#isMerged = true;
  }

  async #holdsDestination(): Promise<boolean> {
    const { repository, source, destinationHead } = this.#merge;
    const input = { repository, sourceRef: destinationHead, destinationBranch: source };
    return (await this.#call('findMergeBase', input)).base_commit_id === destinationHead;
  }

  /** The object as a side has it, or its absence. */
  async #take(path: string, side: Side): Promise<void> {
    if ((this.#held.get(path) ?? 'source') === side) return;
    const { repository, source: branch, sourceHead, destinationHead } = this.#merge;
    const from = side === 'source' ? sourceHead : destinationHead;
    this.#held.set(path, 'unknown');
    this.#hasCopies = true;
    try {
      await this.#call('copyObject', { repository, branch, dest_path: path, body: { src_path: path, src_ref: from } });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      await this.#call('deleteObject', { repository, branch, path });
    }
    this.#held.set(path, side);
  }

  /** @param taken paths that are the destination's. */
  async #commit(taken: readonly string[]): Promise<void> {
    if (!this.#hasCopies) return;
    const { repository, source: branch, destination } = this.#merge;
    // A commit whose answer was lost has left nothing uncommitted; neither has a choice that was taken back.
    const { results } = await this.#call('diffBranch', { repository, branch, amount: 1 });
    if (results.length > 0) {
      const message =
        taken.length === 0
          ? `Keep what ${branch} has`
          : `Take ${taken.length === 1 ? taken[0] : `${taken.length} objects`} from ${destination}`;
      await this.#call('commit', { repository, branch, body: { message } });
    }
    this.#hasCopies = false;
  }
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined;
}
