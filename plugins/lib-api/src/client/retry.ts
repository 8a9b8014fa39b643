/** When a request is sent again, and after how long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isCertificateCode } from './certificates.js';

export interface RetryOptions {
  /** Default: true. */
  readonly enabled?: boolean;
  /** How often a request is sent at most. Default: 4. */
  readonly maxAttempts?: number;
  /** Milliseconds. Default: 200. */
  readonly minWait?: number;
  /** Milliseconds. Default: 30000. */
  readonly maxWait?: number;
}

/** Everything else is final: sending it again would not change the answer. */
const retriedStatuses = new Set([429, 500, 503]);

/** Not worth another try: the address would be as wrong as before. */
const finalCodes = new Set([
  'ERR_ABORTED',
  'ABORT_ERR',
  'ERR_TOO_MANY_REDIRECTS',
  'ERR_UNSUPPORTED_PROTOCOL',
  'ERR_INVALID_URL',
  'ERR_BODY_PARSE_FAILURE',
]);

export class RetryPolicy {
  readonly maxAttempts: number;
  readonly #minWait: number;
  readonly #maxWait: number;

  constructor({ enabled = true, maxAttempts = 4, minWait = 200, maxWait = 30_000 }: RetryOptions = {}) {
    this.maxAttempts = enabled ? Math.max(1, maxAttempts) : 1;
    this.#minWait = minWait;
    this.#maxWait = maxWait;
  }

  retriesStatus(status: number): boolean {
    return retriedStatuses.has(status);
  }

  retriesFailure(code: string | undefined): boolean {
    return code === undefined || !(finalCodes.has(code) || isCertificateCode(code));
  }

  /**
   * Waits before the next attempt.
   * @param attempt number of the one that failed, from 1.
   * @param retryAfter header of the answer: seconds or a date.
   */
  async wait(attempt: number, retryAfter: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    await sleep(this.delay(attempt, retryAfter), undefined, { signal });
  }

  /** Milliseconds; doubles with every attempt, and obeys the server as far as it stays within the maximum. */
  delay(attempt: number, retryAfter: string | undefined, now = Date.now()): number {
    const asked =
      retryAfter === undefined ? Number.NaN : /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
    const wait = Number.isFinite(asked) && asked >= 0 ? asked : this.#minWait * 2 ** (attempt - 1);
    return Math.min(wait, this.#maxWait);
  }
}
