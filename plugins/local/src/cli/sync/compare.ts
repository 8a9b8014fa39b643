/**
 * What changed on either side since both were in step. Pure: reads three ordered streams and asks one question about
 * contents.
 */
import { compareBytes } from '@srv/lib-records';
import type { LocalEntry } from '@srv/engine/transfer';
import type { RemoteEntry } from './remote-tree.js';

export type ChangeKind = 'added' | 'modified' | 'removed';

/** One path on which not everybody agrees. */
export interface PathState {
  readonly path: string;
  /** As both sides had it when they were in step. */
  readonly base?: RemoteEntry;
  /** As the remote side has it now. */
  readonly target?: RemoteEntry;
  readonly local?: LocalEntry | undefined;
  /** Absent: the local side is as in `base`. */
  readonly localChange?: ChangeKind | undefined;
  /** Absent: the remote side is as in `base`. */
  readonly remoteChange?: ChangeKind;
  /** The local side is as in `target`, whatever changed. */
  readonly inStep: boolean;
  /** A special file is here, or on the way here; it is not looked into and not replaced. */
  readonly special: boolean;
}

export interface Comparison {
  readonly base: AsyncIterable<RemoteEntry>;
  /** Absent: the remote side is as in `base`. */
  readonly target?: AsyncIterable<RemoteEntry> | undefined;
  readonly local: AsyncIterable<LocalEntry>;
  /** What the directory is about to hold: changes of both sides, or the remote side alone; absent: nothing is about to change. */
  readonly outcome?: 'merged' | 'target' | undefined;
  /** Contents decide everywhere: after an interruption the directory can be as neither side was. */
  readonly thorough?: boolean;
  /** @param thorough the contents are compared even when nothing hints at a difference. */
  readonly sameAsLocal: (remote: RemoteEntry, local: LocalEntry, thorough: boolean) => Promise<boolean>;
  readonly sameRemote: (a: RemoteEntry, b: RemoteEntry) => boolean;
  /** A folder that is there because of what is in it, and in nothing out of the ordinary. */
  readonly impliedFolder: (local: LocalEntry) => boolean;
}

/** Both sides changed, differently; or a special file is in the way of a change. */
export function isConflict({ localChange, remoteChange, inStep, special }: PathState): boolean {
  return !inStep && remoteChange !== undefined && (localChange !== undefined || special);
}

/**
 * Every path on which not everybody agrees, in order.
 * @throws Error when the state after taking over all changes would hold a file and, at the same path, a folder.
 */
export async function* compareTrees(comparison: Comparison): AsyncGenerator<PathState> {
  const nesting = new Nesting();
  const specials = new Prefixes();
  for await (const { path, base, target, local } of join(comparison)) {
    const special = local?.kind === 'special' || specials.covers(path);
    if (local?.kind === 'special') specials.add(path);
    const state = special
      ? { path, ...sides({ base, target }), ...remoteOf(comparison, base, target), inStep: false, special }
      : await judge(comparison, { path, ...sides({ base, target, local }) });
    if (comparison.outcome && !special && holds(comparison.outcome, state)) nesting.visit(path);
    if (state.localChange !== undefined || state.remoteChange !== undefined || (!state.inStep && !special)) yield state;
  }
}

/** Whether the path will exist. */
function holds(outcome: 'merged' | 'target', { local, target, remoteChange, inStep }: PathState): boolean {
  return outcome === 'target' || (remoteChange && !inStep) ? target !== undefined : local !== undefined;
}

function sides<T extends object>(of: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

interface Sides {
  readonly path: string;
  readonly base?: RemoteEntry;
  readonly target?: RemoteEntry;
  readonly local?: LocalEntry;
}

async function judge(comparison: Comparison, found: Sides): Promise<PathState> {
  const { base, target } = found;
  const { local, ...others } = found;
  const remote = remoteOf(comparison, base, target);
  if (local?.kind === 'folder' && !base && !target && comparison.impliedFolder(local)) return { ...found, inStep: true, special: false };
  // Sizes and times that agree by chance must not decide what is replaced: where the remote side changed, contents do.
  const thorough = comparison.thorough === true || remote.remoteChange !== undefined;
  const same = async (side: RemoteEntry | undefined): Promise<boolean> =>
    side && local ? comparison.sameAsLocal(side, local, thorough) : side === undefined && local === undefined;
  const asBase = await same(base);
  // Equal to both, although they differ: the checksum does not decide. The last known state is the most likely one.
  const asTarget = comparison.target === undefined ? asBase : (await same(target)) && !(asBase && remote.remoteChange === 'modified');
  const localChange = asBase ? undefined : base === undefined ? 'added' : local === undefined ? 'removed' : 'modified';
  return {
    ...others,
    local,
    localChange,
    ...remote,
    inStep: asTarget,
    special: false,
  };
}

function remoteOf(
  { target: compared, sameRemote }: Comparison,
  base: RemoteEntry | undefined,
  target: RemoteEntry | undefined,
): { readonly remoteChange?: ChangeKind } {
  if (compared === undefined || (base === undefined && target === undefined)) return {};
  if (base === undefined) return { remoteChange: 'added' };
  if (target === undefined) return { remoteChange: 'removed' };
  return sameRemote(base, target) ? {} : { remoteChange: 'modified' };
}

/** Entries of the three streams by path. */
async function* join({ base, target, local }: Comparison): AsyncGenerator<Sides> {
  const streams = { base: new Ordered(base), target: target && new Ordered(target), local: new Ordered(local) };
  try {
    for (;;) {
      const heads = { base: await streams.base.peek(), target: await streams.target?.peek(), local: await streams.local.peek() };
      const path = [heads.base, heads.target, heads.local].reduce<string | undefined>(
        (least, head) => (head && (least === undefined || compareBytes(head.path, least) < 0) ? head.path : least),
        undefined,
      );
      if (path === undefined) return;
      const at = <E extends { readonly path: string }>(head: E | undefined): E | undefined => (head?.path === path ? head : undefined);
      const found = { base: at(heads.base), target: streams.target ? at(heads.target) : at(heads.base), local: at(heads.local) };
      if (at(heads.base)) streams.base.take();
      if (at(heads.target)) streams.target?.take();
      if (found.local) streams.local.take();
      yield { path, ...sides(found) };
    }
  } finally {
    await Promise.all([streams.base.end(), streams.target?.end(), streams.local.end()]);
  }
}

/** A stream with one entry of look-ahead, which must be in order: out of order, whole folders would seem to be gone. */
class Ordered<E extends { readonly path: string }> {
  readonly #iterator: AsyncIterator<E>;
  #head: E | undefined;
  #last: string | undefined;
  #done = false;

  constructor(entries: AsyncIterable<E>) {
    this.#iterator = entries[Symbol.asyncIterator]();
  }

  async peek(): Promise<E | undefined> {
    if (this.#head !== undefined || this.#done) return this.#head;
    const next = await this.#iterator.next();
    if (next.done) this.#done = true;
    else {
      if (this.#last !== undefined && compareBytes(this.#last, next.value.path) >= 0)
        throw new Error(`the listing is out of order: ${JSON.stringify(next.value.path)} came after ${JSON.stringify(this.#last)}`);
      this.#last = next.value.path;
      this.#head = next.value;
    }
    return this.#head;
  }

  take(): void {
    this.#head = undefined;
  }

  async end(): Promise<void> {
    await this.#iterator.return?.();
  }
}

/** Earlier paths that later ones of an ordered stream may lie below. */
class Prefixes {
  #paths: string[] = [];

  covers(path: string): boolean {
    this.#forget(path);
    return this.#paths.some(earlier => path.startsWith(`${earlier}/`));
  }

  add(path: string): void {
    this.#forget(path);
    this.#paths.push(path);
  }

  /** In byte order, a path that is not a prefix of this one is not a prefix of any later one. */
  #forget(path: string): void {
    this.#paths = this.#paths.filter(earlier => path.startsWith(earlier));
  }
}

/** Object stores can hold `a` and `a/b`; a directory cannot. */
class Nesting {
  readonly #files = new Prefixes();

  visit(path: string): void {
    if (this.#files.covers(path))
      throw new Error(
        `${JSON.stringify(path)} lies below another object of that name; a directory cannot hold both a file and a folder of one name: remove or rename one of them`,
      );
    if (!path.endsWith('/')) this.#files.add(path);
  }
}
