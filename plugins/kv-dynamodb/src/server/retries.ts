/** When and how often a request is sent again. */
import { backOffMs } from '@srv/lib-stores/kv';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

type Strategy = Extract<NonNullable<DynamoDBClientConfig['retryStrategy']>, { refreshRetryTokenForRetry: unknown }>;
type Token = Awaited<ReturnType<Strategy['acquireInitialRetryToken']>>;
type Failure = Parameters<Strategy['refreshRetryTokenForRetry']>[1];

/** Most milliseconds before the first retry. */
const firstPauseMs = { THROTTLING: 200, TRANSIENT: 50 } as const;
const longestPauseMs = 5_000;

/** Errors of the network before anything was sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * The standard mode of the SDK without its token bucket, which stops retrying altogether after many failures: here each
 * request has its own `maxAttempts`. Remembers whether an earlier attempt may have happened although it failed.
 */
export class Retries implements Strategy {
  readonly mode = 'standard';
  readonly #maxAttempts: number;
  readonly #ambiguous = new WeakSet<object>();

  /** @param maxAttempts per request, from 1. */
  constructor(maxAttempts: number) {
    this.#maxAttempts = maxAttempts;
  }

  /** Whether a request that ended in `error` had an earlier attempt that may have taken effect. */
  mayHaveHappened(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#ambiguous.has(error);
  }

  async maxAttempts(): Promise<number> {
    return this.#maxAttempts;
  }

  async acquireInitialRetryToken(): Promise<Token> {
    return token(0, 0, false);
  }

  async refreshRetryTokenForRetry(last: Token, { error, errorType }: Failure): Promise<Token> {
    const ambiguous = 'ambiguous' in last && last.ambiguous === true;
    if (ambiguous && typeof error === 'object' && error !== null) this.#ambiguous.add(error);
    const retries = last.getRetryCount() + 1;
    if ((errorType !== 'THROTTLING' && errorType !== 'TRANSIENT') || retries >= this.#maxAttempts) throw new Error('not to be sent again');
    const pause = backOffMs(retries, { firstMs: firstPauseMs[errorType], longestMs: longestPauseMs });
    return token(retries, pause, ambiguous || (errorType === 'TRANSIENT' && !neverSent(error)));
  }

  recordSuccess(): void {}
}

/** @param ambiguous whether an attempt failed that may have happened. */
function token(retries: number, pause: number, ambiguous: boolean): Token & { readonly ambiguous: boolean } {
  return { getRetryCount: () => retries, getRetryDelay: () => Math.round(pause), ambiguous } as Token & { readonly ambiguous: boolean };
}

function neverSent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && notSent.has(String(error.code));
}
