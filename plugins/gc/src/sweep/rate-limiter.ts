/** Limits how many removals begin per second. */
import { setTimeout } from 'node:timers/promises';

/** Milliseconds. */
interface Clock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<unknown>;
}

const system: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

export class RateLimiter {
  readonly #interval: number;
  readonly #clock: Clock;
  #next = 0;

  /** @param perSecond 0: no limit. */
  constructor(perSecond: number, clock = system) {
    this.#interval = perSecond > 0 ? 1000 / perSecond : 0;
    this.#clock = clock;
  }

  /** Waits until `count` removals may begin. */
  async acquire(count: number, signal?: AbortSignal): Promise<void> {
    if (this.#interval === 0) return;
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval * count;
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}
