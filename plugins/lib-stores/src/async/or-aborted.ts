/** Waiting that an AbortSignal can end. */
import { SrvError, throwIfAborted } from '@srv/kernel';

/**
 * Waits for an answer until `signal` is aborted. The work itself continues: other callers may wait for it, too.
 * @throws SrvError `cancelled`.
 */
export async function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return answer;
  // A caller that has left does not see a later failure.
  answer.catch(() => undefined);
  throwIfAborted(signal);
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason }));
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
