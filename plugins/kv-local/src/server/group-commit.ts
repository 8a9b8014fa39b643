/**
 * Group commit: writes that arrive while the disk is busy share the next synced batch, so that durability costs one fsync
 * per group, not per write. All writes pass here, in order of arrival; conditions are therefore judged against a state
 * that nothing else changes: the database plus the earlier writes of the same group.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SrvError, absent, isSrvError, messageOf, present, throwIfAborted } from '@srv/kernel';
import type { Condition, Logger } from '@srv/kernel';
import type { RecoveringDatabase } from './recovering-database.js';

/** What groups are written to. */
export type CommitTarget = Pick<RecoveringDatabase, 'untilWritable' | 'getSync' | 'batch'>;

interface Change {
  readonly key: Buffer;
  /** `undefined`: the record is deleted. */
  readonly value: Buffer | undefined;
}

interface Write extends Change {
  readonly condition?: Condition | undefined;
  /** Written with it, under its condition. */
  readonly further?: readonly Change[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting extends Write {
  /** `false`: the condition does not hold, nothing was written. */
  settle(written: boolean): void;
  fail(error: unknown): void;
}

const none: readonly Change[] = [];
/** Bounds of one group: judging and encoding it must not hold the event loop for more than a few milliseconds. */
const maxGroupWrites = 500;
const maxGroupBytes = 4 << 20;

export class GroupCommit {
  readonly #db: CommitTarget;
  readonly #sync: boolean;
  readonly #log: Logger | undefined;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** @param sync whether a write waits for the disk. */
  constructor(db: CommitTarget, sync: boolean, log?: Logger) {
    this.#db = db;
    this.#sync = sync;
    this.#log = log;
  }

  /** Resolves when the write is durable, or to `false` when its condition does not hold. */
  write(write: Write): Promise<boolean> {
    return new Promise((settle, fail) => {
      this.#queue.push({ settle, fail, ...write });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is left to write. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      // One turn of the event loop, so that callers woken by the previous group can join this one.
      await nextTurn();
      await this.#commit(this.#takeGroup());
    } while (this.#queue.length > 0);
    this.#running = undefined;
  }

  #takeGroup(): Waiting[] {
    let [count, bytes] = [0, 0];
    for (const write of this.#queue) {
      bytes += sizeOf(write);
      for (const change of write.further ?? none) bytes += sizeOf(change);
      if (count > 0 && (count >= maxGroupWrites || bytes > maxGroupBytes)) break;
      count++;
    }
    const group = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    return group;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#db.untilWritable();
    } catch (error) {
      for (const waiting of group) waiting.fail(error);
      return;
    }
    const changes = new Map<string, Change>();
    const decided: { waiting: Waiting; written: boolean }[] = [];
    for (const waiting of group) {
      try {
        throwIfAborted(waiting.signal);
        const name = nameOf(waiting);
        const written = this.#holds(waiting, changes.get(name));
        if (written) {
          changes.set(name, waiting);
          for (const change of waiting.further ?? none) changes.set(nameOf(change), change);
        }
        decided.push({ waiting, written });
      } catch (error) {
        waiting.fail(error);
      }
    }
    try {
      // A refusal is answered after the batch, too: what it was refused for must not be lost in a crash.
      await this.#apply([...changes.values()]);
      for (const { waiting, written } of decided) waiting.settle(written);
    } catch (error) {
      const failure = isSrvError(error) ? error : new SrvError('unavailable', messageOf(error), { cause: error });
      for (const { waiting } of decided) waiting.fail(failure);
    }
  }

  #holds({ key, condition }: Write, change: Change | undefined): boolean {
    if (condition === undefined) return true;
    const current = change ? change.value : this.#db.getSync(key);
    if (condition === absent) return current === undefined;
    if (condition === present) return current !== undefined;
    const { kvPredicate: expected } = condition;
    if (!Buffer.isBuffer(expected)) throw new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
    return current !== undefined && expected.equals(current);
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const started = performance.now();
    const operations = changes.map(({ key, value }) =>
      value === undefined ? { type: 'del' as const, key } : { type: 'put' as const, key, value },
    );
    await this.#db.batch(operations, { sync: this.#sync });
    this.#log?.trace({ writes: operations.length, ms: performance.now() - started }, 'kv group commit');
  }
}

function sizeOf({ key, value }: Change): number {
  return key.length + (value?.length ?? 0);
}

function nameOf({ key }: Change): string {
  return key.toString('latin1');
}
