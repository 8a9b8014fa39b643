/** Collects events and posts them in batches: at intervals, when many have come together, and at the end. */
import { randomUUID } from 'node:crypto';
import { Disclosure } from './disclosure.js';
import { EventCounts } from './event-counts.js';
import { Sender } from './sender.js';
import type { Activity, Logger } from '@srv/kernel';

/** Milliseconds between two signs of life. */
const heartbeatInterval = 3_600_000;

interface CollectorOptions {
  readonly address: string;
  /** Milliseconds, from 1. */
  readonly flushInterval: number;
  /** Different events. */
  readonly flushSize: number;
  readonly extended: boolean;
  readonly installationId: string;
  readonly log: Logger;
}

export class Collector {
  readonly #options: CollectorOptions;
  readonly #counts: EventCounts;
  readonly #sender: Sender;
  readonly #stop = new AbortController();
  readonly #processId = randomUUID();
  readonly #timers: NodeJS.Timeout[] = [];
  /** The post in progress; counts accumulate meanwhile, and a slow receiver causes no queue. */
  #sending: Promise<void> | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#counts = new EventCounts(new Disclosure(options.extended));
    this.#sender = new Sender(options.address, options.log, this.#stop.signal);
  }

  /** @param entries facts about this installation. */
  start(entries: Readonly<Record<string, string>>): void {
    const { flushInterval, installationId } = this.#options;
    this.#sending = this.#post('installation', {
      installation_id: installationId,
      entries: Object.entries(entries).map(([name, value]) => ({ name, value })),
    });
    this.#timers.push(
      setInterval(() => void this.flush(), flushInterval).unref(),
      setInterval(() => this.count({ class: 'global', name: 'heartbeat' }), heartbeatInterval).unref(),
    );
    this.count({ class: 'global', name: 'run' });
  }

  count(activity: Activity): void {
    this.#counts.add(activity);
    if (this.#counts.size >= this.#options.flushSize) void this.flush();
  }

  /** Posts the counts, unless a post is in progress. Returns when the receiver has accepted or rejected them. */
  async flush(): Promise<void> {
    if (this.#sending) return this.#sending;
    const metrics = this.#counts.take();
    if (metrics.length === 0) return;
    const { installationId } = this.#options;
    this.#sending = this.#post('events', {
      installation_id: installationId,
      process_id: this.#processId,
      time: new Date().toISOString(),
      metrics,
    });
    return this.#sending;
  }

  /** Posts the rest, once. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stop.abort();
    await this.#sending;
    await this.flush();
  }

  async #post(path: string, body: object): Promise<void> {
    await this.#sender.post(path, body);
    this.#sending = undefined;
  }
}
