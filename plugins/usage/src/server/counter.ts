/** Counts requests in memory and adds them to the stored counters. */
import { SrvError, messageOf } from '@srv/kernel';
import type { Activity, Logger } from '@srv/kernel';
import type { UsageService } from '../contract.js';
import { monthOf } from './usage-records.js';
import type { UsageRecords } from './usage-records.js';

/** Classes of activity that are requests. */
const requests = new Set(['api_server', 's3_gateway']);

export interface UsageCounterOptions {
  /** `undefined`: this installation has no id, and nothing can be stored. */
  readonly records: UsageRecords | undefined;
  readonly installationId: string | undefined;
  readonly log: Logger;
  readonly now?: () => Date;
}

export class UsageCounter implements UsageService {
  readonly #options: UsageCounterOptions;
  readonly #now: () => Date;
  /** Not yet stored, by month. */
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: UsageCounterOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  /** @param interval milliseconds; 0: nothing is stored until {@link summary} or {@link stop}. */
  start(interval: number): void {
    if (interval <= 0) return;
    this.#timer = setInterval(() => {
      // What could not be stored is kept, and stored the next time.
      this.flush().catch((error: unknown) => this.#options.log.warn({ error: messageOf(error) }, 'usage could not be stored'));
    }, interval).unref();
  }

  count({ class: group, count = 1, reported }: Activity): void {
    if (reported || !requests.has(group)) return;
    const month = monthOf(this.#now());
    this.#counts.set(month, (this.#counts.get(month) ?? 0) + count);
  }

  /** Stores what has been counted. @throws SrvError when that fails; nothing is lost then. */
  flush(): Promise<void> {
    const flushing = this.#flushing.catch(() => undefined).then(() => this.#store());
    this.#flushing = flushing;
    return flushing;
  }

  async summary(): ReturnType<UsageService['summary']> {
    const { records, installationId } = this.#options;
    if (!records || installationId === undefined) throw new SrvError('not_found', 'installation not found');
    await this.flush();
    return { installationId, reports: await records.list() };
  }

  /** @throws SrvError when the last counts could not be stored. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #store(): Promise<void> {
    const { records } = this.#options;
    if (!records) return;
    for (const [month, count] of this.#counts) {
      // Taken out before anybody waits: requests that arrive meanwhile begin another count.
      this.#counts.delete(month);
      try {
        await records.add(month, count);
      } catch (error) {
        this.#counts.set(month, (this.#counts.get(month) ?? 0) + count);
        throw error;
      }
    }
  }
}
