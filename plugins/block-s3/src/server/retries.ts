/**
 * When a request is sent again. Unlike the client library's own strategy it has no budget shared by all requests, so
 * that each has its attempts, also after a long outage.
 */
import { backOffMs } from '@srv/lib-stores/block';
import { isSilence } from './errors.js';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { Logger } from '@srv/kernel';

type Strategy = Extract<NonNullable<S3ClientConfig['retryStrategy']>, { recordSuccess: unknown }>;
type Token = Awaited<ReturnType<Strategy['acquireInitialRetryToken']>>;
type Failure = Parameters<Strategy['refreshRetryTokenForRetry']>[1];

/** Most milliseconds before the first retry. */
const firstDelayMs = { THROTTLING: 250, TRANSIENT: 100 } as const;
const longestDelayMs = 20_000;

interface RetryOptions {
  /** Attempts of a request, the first one included. */
  readonly maxAttempts: number;
  /** Receives a line for every retry. */
  readonly log?: Logger | undefined;
}

/** Retries throttled requests and lost connections, not those that a silent store kept waiting, after random pauses whose limit doubles each time. */
export function retryStrategy({ maxAttempts, log }: RetryOptions): Strategy {
  const token = (retries: number, delayMs: number): Token => ({
    getRetryCount: () => retries,
    getRetryDelay: () => delayMs,
  });
  return {
    acquireInitialRetryToken: async () => token(0, 0),
    refreshRetryTokenForRetry: async (last: Token, failure: Failure) => {
      const retries = last.getRetryCount() + 1;
      const { errorType, retryAfterHint } = failure;
      const mayPass = (errorType === 'THROTTLING' || errorType === 'TRANSIENT') && !isSilence(failure.error);
      if (!mayPass || retries >= maxAttempts) throw new Error('no further attempt');
      const delayMs = pause(backOffMs(retries, { firstMs: firstDelayMs[errorType], longestMs: longestDelayMs }), retryAfterHint);
      const { name = 'Error', message = '' } = failure.error ?? {};
      log?.debug({ attempt: retries, max_attempts: maxAttempts, delay_ms: delayMs, error: `${name}: ${message}` }, 'S3 request is retried');
      return token(retries, delayMs);
    },
    recordSuccess: () => undefined,
  };
}

/** A server's wish counts, within reason. */
function pause(delayMs: number, notBefore: Date | undefined): number {
  const wished = notBefore ? notBefore.getTime() - Date.now() : 0;
  return Math.round(Math.min(longestDelayMs, Math.max(delayMs, wished)));
}
