/** How many messages may go out: a bucket of tokens that fills at a steady rate. */

interface SendLimitOptions {
  /** Milliseconds for one token; 0: always full. */
  readonly every: number;
  /** Tokens the bucket holds; 0: nothing is ever sent. */
  readonly burst: number;
  readonly now?: () => number;
}

export class SendLimit {
  readonly #options: SendLimitOptions;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  constructor(options: SendLimitOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#tokens = options.burst;
    this.#filledAt = this.#now();
  }

  /** False: the message must not be sent now. */
  take(): boolean {
    const { every, burst } = this.#options;
    if (burst === 0) return false;
    if (every === 0) return true;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + Math.max(0, now - this.#filledAt) / every);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
  /** The message that a token was taken for was not sent. */
  giveBack(): void {
    this.#tokens = Math.min(this.#options.burst, this.#tokens + 1);
  }
}
