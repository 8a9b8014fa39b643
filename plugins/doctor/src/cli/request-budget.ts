/** Bounds a search over an installation of any size: a diagnosis must end. */
import { formatDuration } from '@srv/kernel';
import type { CallOptions } from '@srv/lib-api/client';

export interface SearchLimits {
  readonly requests: number;
  /** Milliseconds, from the start of the search. */
  readonly time: number;
}

/** The search must end here, although it is not complete. */
export class LimitReached extends Error {
  /** Such as `30s` or `2000 requests`. */
  readonly limit: string;

  constructor(limit: string) {
    super(`the limit of ${limit} was reached`);
    this.limit = limit;
  }
}

export class RequestBudget {
  readonly #limits: SearchLimits;
  readonly #deadline: AbortSignal;
  #sent = 0;

  constructor(limits: SearchLimits) {
    this.#limits = limits;
    this.#deadline = AbortSignal.timeout(limits.time);
  }

  /** Sends a request. @throws LimitReached when there are no requests or no time left, also while it is under way. */
  async spend<T>(request: (options: CallOptions) => Promise<T>): Promise<T> {
    if (this.#deadline.aborted) throw this.#outOfTime();
    if (this.#sent === this.#limits.requests) throw new LimitReached(`${this.#limits.requests} requests`);
    this.#sent++;
    try {
      return await request({ signal: this.#deadline });
    } catch (error) {
      throw this.#deadline.aborted ? this.#outOfTime() : error;
    }
  }

  #outOfTime(): LimitReached {
    return new LimitReached(formatDuration(this.#limits.time));
  }
}
