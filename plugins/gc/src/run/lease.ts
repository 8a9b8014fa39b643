/**
 * Makes sure that one process at a time collects a repository. The lease changes only by compare-and-set, and every change
 * counts, so that a holder that was away finds out before it deletes anything. Clocks of different machines are never
 * compared: a lease is stale when nothing about it has changed for a while by the clock of the server that looks.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { leaseKey, leaseWritten, readLease, signOf, usualWait } from '@srv/engine/refs/pins';
import { SrvError, absent, messageOf } from '@srv/kernel';
import { partitionOf } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { CollectionWait, LeaseState } from '@srv/engine/refs/pins';
import type { KvStore, Logger, Predicate } from '@srv/kernel';

export { readLease } from '@srv/engine/refs/pins';

/** Milliseconds. */
export interface LeaseTimes extends CollectionWait {
  readonly beat: number;
  /** After this long without renewal the owner gives the lease up: others may soon take it by their clocks. Less than `stale`. */
  readonly giveUp: number;
}

export const usualTimes: LeaseTimes = { ...usualWait, beat: 5_000, giveUp: 15_000 };

/** Remembers leases of others, to see which ones have not changed. */
export class LeaseWatch {
  readonly #seen = new Map<string, { readonly sign: string; readonly since: number }>();
  readonly #stale: number;
  readonly #home: string | undefined;

  /**
   * @param home text without spaces that all programs have in common which can use the database now, and none that used it before: a lease
   * whose owner has another text is that of a program that has ended. Absent: not known.
   */
  constructor({ stale }: Pick<LeaseTimes, 'stale'>, home?: string) {
    this.#stale = stale;
    this.#home = home;
  }

  /** Whether there is a lease that may soon count as free. */
  get isWatching(): boolean {
    return this.#seen.size > 0;
  }

  /** A name for an owner in this process: its home, if known, and an id. */
  newOwner(): string {
    return this.#home === undefined ? randomUUID() : `${this.#home} ${randomUUID()}`;
  }

  /** Whether the lease is free, its owner has certainly ended, or it has not changed for long enough since it was first read. */
  isFree(repository: Repository, state: LeaseState): boolean {
    const name = partitionOf(repository);
    if (state.owner === '' || this.#hasEnded(state.owner)) {
      this.#seen.delete(name);
      return true;
    }
    const sign = signOf(state);
    const seen = this.#seen.get(name);
    if (seen?.sign !== sign) {
      this.#seen.set(name, { sign, since: performance.now() });
      return false;
    }
    return performance.now() - seen.since >= this.#stale;
  }

  #hasEnded(owner: string): boolean {
    const [home, id] = owner.split(' ');
    return this.#home !== undefined && id !== undefined && home !== this.#home;
  }
}

interface LeaseOptions {
  readonly kv: KvStore;
  readonly log: Logger;
  readonly watch: LeaseWatch;
  readonly times: LeaseTimes;
  /** Whether a run has not ended: no process would resume it once the lease named another one. */
  readonly isUnfinished: (run: string) => Promise<boolean>;
}

/** A lease that this process holds. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #repository: Repository;
  readonly #lost = new AbortController();
  #state: LeaseState;
  #predicate: Predicate | undefined;
  #renewedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #batches = 0;
  #turn: Promise<void> = Promise.resolve();

  private constructor(repository: Repository, state: LeaseState, options: LeaseOptions) {
    this.#repository = repository;
    this.#state = state;
    this.#options = options;
  }

  /** @returns the lease, or the run whose process holds it. */
  static async take(repository: Repository, run: string, options: LeaseOptions): Promise<Lease | { readonly heldBy: string }> {
    const { kv, watch, isUnfinished } = options;
    const { state, predicate } = await readLease(kv, repository);
    if (!watch.isFree(repository, state)) return { heldBy: state.run };
    // Also of a lease that was released: the work that did so may have found it with a dead owner.
    if (state.run !== '' && state.run !== run && (await isUnfinished(state.run))) return { heldBy: state.run };
    const mine = { owner: watch.newOwner(), run, epoch: state.epoch + 1, beat: 0, deleting: false };
    const bytes = Buffer.from(JSON.stringify(mine));
    // Reads that began before the write no longer count, whatever its outcome.
    const written = kv.setIf(partitionOf(repository), leaseKey, bytes, predicate ?? absent).finally(() => leaseWritten(kv, repository));
    if (!(await written)) return { heldBy: (await readLease(kv, repository)).state.run };
    const lease = new Lease(repository, mine, options);
    const stored = await readLease(kv, repository);
    if (signOf(stored.state) !== signOf(mine)) return { heldBy: stored.state.run };
    lease.#predicate = stored.predicate;
    await lease.#change({ deleting: false });
    lease.#timer = setInterval(() => {
      lease
        .#change({})
        .catch((error: unknown) =>
          options.log.warn({ repository: repository.id, error: messageOf(error) }, 'cannot renew the lease of a run'),
        );
    }, options.times.beat).unref();
    return lease;
  }

  /** Aborted when another process holds the lease. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Announces a batch, has it checked and deleted by `work`, and ends it, also when `work` fails. Until then, whatever revives an
   * object waits. `work` reads all pins before it deletes anything.
   * @throws SrvError `conflict` when the lease is lost; what `work` throws.
   */
  async inBatch<T>(work: () => Promise<T>): Promise<T> {
    await this.#change({ deleting: true, batch: ++this.#batches });
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await this.#endBatch().catch(() => {});
      throw error;
    }
    await this.#endBatch();
    return result;
  }

  /**
   * To be asked before every single deletion. A process that was suspended for too long, such as on a sleeping machine, gives
   * the lease up: others may have taken it for stale, or will soon.
   * @throws SrvError `conflict` when the lease is lost.
   */
  check(): void {
    if (this.#lost.signal.aborted) throw this.#taken();
    if (performance.now() - this.#renewedAt > this.#options.times.giveUp) {
      this.abandon();
      throw new SrvError('conflict', 'the lease of the collector was not renewed in time; the run continues later', {
        details: { repository: this.#repository.id },
      });
    }
  }

  /** Gives the lease up; others need not wait. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn.catch(() => {});
    if (!this.#lost.signal.aborted) await this.#change({ owner: '', deleting: false }).catch(() => {});
  }

  /** Forgets the lease, as a dying process does. */
  abandon(): void {
    clearInterval(this.#timer);
    this.#lost.abort();
  }

  #endBatch(): Promise<void> {
    return this.#change({ deleting: false });
  }

  #change(change: Partial<LeaseState>): Promise<void> {
    const turn = this.#turn.catch(() => {}).then(() => this.#write(change));
    this.#turn = turn;
    return turn;
  }

  async #write(change: Partial<LeaseState>): Promise<void> {
    const { kv } = this.#options;
    if (this.#lost.signal.aborted) throw this.#taken();
    const began = performance.now();
    const partition = partitionOf(this.#repository);
    for (;;) {
      const next = { ...this.#state, ...change, beat: this.#state.beat + 1 };
      if (this.#predicate !== undefined) await kv.setIf(partition, leaseKey, Buffer.from(JSON.stringify(next)), this.#predicate);
      const { state, predicate } = await readLease(kv, this.#repository);
      const isDone = isDeepStrictEqual(state, next);
      if (!isDone && !(state.owner === this.#state.owner && state.epoch === this.#state.epoch)) {
        this.#lost.abort();
        throw this.#taken();
      }
      this.#state = state;
      this.#predicate = predicate;
      if (isDone) break;
      // An earlier write of this owner, whose answer was lost: it was stored in place of this one.
    }
    this.#renewedAt = began;
  }

  #taken(): SrvError {
    return new SrvError('conflict', 'another process collects this repository now', { details: { repository: this.#repository.id } });
  }
}
