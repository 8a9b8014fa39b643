/** Removes records of requests whose time is over: in the background, so that no request waits for it. */
import { messageOf } from '@srv/kernel';
import { inParallel } from '@srv/lib-stores/block';
import type { KvEntry, KvStore, Logger } from '@srv/kernel';

interface RequestSweeperOptions {
  readonly kv: KvStore;
  readonly partition: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Whether the time of a record is over. */
  readonly isOver: (value: Buffer) => boolean;
}

/** Milliseconds between the beginnings of two sweeps. */
const period = 10 * 60_000;
/** Records removed at a time. */
const parallel = 16;

export class RequestSweeper {
  readonly #options: RequestSweeperOptions;
  readonly #stop = new AbortController();
  #sweptAt = performance.now();
  #sweeping: Promise<void> | undefined;

  constructor(options: RequestSweeperOptions) {
    this.#options = options;
  }

  /** Begins a sweep if the last one began long ago and has ended. */
  sweepIfDue(): void {
    if (this.#sweeping || this.#stop.signal.aborted || performance.now() - this.#sweptAt < period) return;
    this.#sweptAt = performance.now();
    this.#sweeping = this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
  }

  /** Breaks off a sweep, and waits for its last removals. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sweeping;
  }

  /** Never rejects. */
  async #sweep(): Promise<void> {
    const { kv, partition, log } = this.#options;
    const { signal } = this.#stop;
    const failures: unknown[] = [];
    const remove = (entry: KvEntry): Promise<void> => this.#remove(entry).catch((error: unknown) => void failures.push(error));
    try {
      for await (const page of kv.scan(partition, { signal })) await inParallel(page, parallel, remove);
    } catch (error) {
      failures.push(error);
    }
    if (failures.length > 0 && !signal.aborted)
      log.warn(
        { failures: failures.length, error: messageOf(failures[0]) },
        'old records of repeated requests were not removed; it will be tried again',
      );
  }

  async #remove({ key, value }: KvEntry): Promise<void> {
    const { kv, partition, isOver } = this.#options;
    if (this.#stop.signal.aborted || !isOver(value)) return;
    // Again: a request may have taken the key since the page was read.
    const current = await kv.get(partition, key);
    if (current && isOver(current.value)) await kv.delete(partition, key);
  }
}
