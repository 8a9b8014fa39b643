/** Counts requests in memory and adds them to the stored counters. */
import { SrvError, messageOf } from '@srv/kernel';
import { monthOf } from './usage-records.js';
import type { Activity, Logger, PeerProcesses } from '@srv/kernel';
import type { UsageService } from '../contract.js';
import type { UsageRecords } from './usage-records.js';

/** Classes of activity that are requests. */
const requests = new Set(['api_server', 's3_gateway', 'webdav', 'mcp', 'huggingface']);
/** What peers ask one another: to store their counts. Milliseconds that a report waits for it. */
const topic = 'usage';
const peerTimeoutMs = 5_000;

interface UsageCounterOptions {
  /** `undefined`: this installation has no id, and nothing can be stored. */
  readonly records: UsageRecords | undefined;
  readonly installationId: string | undefined;
  readonly log: Logger;
  /** Servers that run as one with this one: a report includes what they have counted. */
  readonly peers?: PeerProcesses | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class UsageCounter implements UsageService {
  readonly #options: UsageCounterOptions;
  readonly #now: () => number;
  /** Not yet stored, by month. */
  readonly #counts = new Map<string, number>();
  #month = { second: Number.NaN, name: '' };
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: UsageCounterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** @param interval milliseconds; 0: nothing is stored until {@link summary} or {@link stop}. */
  start(interval: number): void {
    this.#options.peers?.handle(topic, async () => {
      await this.flush();
      return true;
    });
    if (interval <= 0) return;
    this.#timer = setInterval(() => {
      // What could not be stored is kept, and stored the next time.
      this.flush().catch((error: unknown) => this.#options.log.warn({ error: messageOf(error) }, 'cannot store usage counts'));
    }, interval).unref();
  }

  count({ class: group, count = 1, reported }: Activity): void {
    if (reported || !requests.has(group)) return;
    const month = this.#currentMonth();
    this.#counts.set(month, (this.#counts.get(month) ?? 0) + count);
  }

  /** Worked out once per second: every request asks. */
  #currentMonth(): string {
    const now = this.#now();
    const second = Math.floor(now / 1000);
    if (second !== this.#month.second) this.#month = { second, name: monthOf(new Date(now)) };
    return this.#month.name;
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
    const { peers, log } = this.#options;
    const late = (error: unknown): void => log.warn({ error: messageOf(error) }, 'a report lacks what other workers have not stored');
    await Promise.all([this.flush(), peers?.request(topic, peerTimeoutMs).catch(late)]);
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
    // What is counted meanwhile is for the next time.
    const counts = [...this.#counts];
    for (const [month, count] of counts) {
      // Taken out before the first await: requests that arrive meanwhile begin another count.
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
