/** Writes that must not be lost to a passing fault of the database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSrvError, messageOf } from '@srv/kernel';
import type { ErrorCode, Logger } from '@srv/kernel';

interface Persistence {
  /** Ends the attempts: the last one is made at once. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'warn'>;
  /** For the log: what is attempted, and for which record. */
  readonly what: Readonly<Record<string, string>>;
}

/** Milliseconds: the first pause, its growth, and the longest. */
const pauses = { first: 100, factor: 2, longest: 10_000 };
/** Of errors with a code, those that pass. */
const passing: readonly ErrorCode[] = ['unavailable', 'slow_down', 'timeout', 'too_many_tries', 'storage_full', 'moving', 'internal'];

/**
 * Repeats `attempt` until it succeeds, after growing pauses of 0.1 to 10 seconds. For what records that something has happened: an
 * error here must not be taken for a failure of the work itself, which a client would repeat.
 * @param attempt may be made any number of times.
 * @throws what the last attempt threw, when `signal` is aborted or the error is one that does not pass, such as `not_found`.
 */
export async function persistently<T>(attempt: () => Promise<T>, { signal, log, what }: Persistence): Promise<T> {
  for (let pause = pauses.first; ; pause = Math.min(pause * pauses.factor, pauses.longest))
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || (isSrvError(error) && !passing.includes(error.code))) throw error;
      log.warn({ ...what, error: messageOf(error) }, 'recording the outcome of work failed; it will be tried again');
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
}
