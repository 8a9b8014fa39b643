/** Lets so many removals a second begin. */
import { setTimeout as sleep } from 'node:timers/promises';

export class Pace {
  readonly #interval: number;
  #next = 0;

  /** @param perSecond 0: no limit. */
  constructor(perSecond: number) {
    this.#interval = perSecond > 0 ? 1000 / perSecond : 0;
  }

  /** Waits until `count` removals may begin. */
  async turn(count: number, signal?: AbortSignal): Promise<void> {
    if (this.#interval === 0) return;
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval * count;
    if (at > now) await sleep(at - now, undefined, signal ? { signal } : {});
  }
}
