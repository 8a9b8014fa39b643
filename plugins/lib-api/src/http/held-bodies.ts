/**
 * Bodies that are held whole, such as JSON: parsed, each takes many times its size, so that the sum of those in work is bounded.
 * Others wait for their turn, but not for long.
 */
import { getHeapStatistics } from 'node:v8';
import { SrvError } from '@srv/kernel';
import type { ServerResponse } from 'node:http';

interface HeldBodiesOptions {
  /** One body may be larger: it is then the only one. @bound bytes of all held bodies at a time */
  readonly limit: number;
  /** Milliseconds after which a body is refused. */
  readonly waitMs: number;
}

interface Waiting {
  readonly size: number;
  readonly enter: () => void;
}

/** Bodies that do not count: there would be as many connections as bodies before they matter. */
const smallBytes = 16 << 10;

export class HeldBodies {
  readonly #options: HeldBodiesOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #held = 0;

  constructor(options: HeldBodiesOptions) {
    this.#options = options;
  }

  /** Bytes of the bodies in work. */
  get held(): number {
    return this.#held;
  }

  /**
   * @param size bytes that the body may have.
   * @returns what ends the hold, once; `undefined` for a body that does not count.
   * @throws SrvError `slow_down` when other bodies take too long.
   */
  async hold(size: number): Promise<(() => void) | undefined> {
    if (size <= smallBytes) return undefined;
    if (this.#waiting.size === 0 && this.#fits(size)) this.#held += size;
    else await this.#wait(size);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#held -= size;
      this.#admit();
    };
  }

  /** Holds until the response is complete or the caller has left. Otherwise as {@link hold}. */
  async holdFor(response: ServerResponse, size: number): Promise<void> {
    const release = await this.hold(size);
    if (response.closed) release?.();
    else if (release) response.once('close', release);
  }

  #fits(size: number): boolean {
    return this.#held === 0 || this.#held + size <= this.#options.limit;
  }

  #wait(size: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new SrvError('slow_down', 'too many large requests at a time'));
        this.#admit();
      }, this.#options.waitMs);
      const waiting: Waiting = {
        size,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
  }

  /** No body overtakes a larger one, which would never get its turn. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.size)) return;
      this.#held += waiting.size;
      this.#waiting.delete(waiting);
      waiting.enter();
    }
  }
}

/** Parsed JSON takes up to thirty times its size: half of the memory of the process is left to everything else. */
const parsedFactor = 60;
const leastLimit = 2 << 20;
const mostLimit = 64 << 20;
/** What the runtime counts for its young objects at most, three halves of 64 MiB; parsed bodies live longer and do not fit there. */
const youngBytes = 3 * (64 << 20);

/** Of this process: all faces share its memory. */
export const heldBodies = new HeldBodies({
  limit: Math.min(mostLimit, Math.max(leastLimit, Math.floor((getHeapStatistics().heap_size_limit - youngBytes) / parsedFactor))),
  waitMs: 10_000,
});
