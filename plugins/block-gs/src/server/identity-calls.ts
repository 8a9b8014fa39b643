/**
 * What the client library asks the services of tokens and signatures. It waits for their answers without a limit, and its errors do not say
 * whether a second try may help.
 */
import { messageOf, throwIfAborted } from '@srv/kernel';
import { orAborted } from '@srv/lib-stores/block';
import { CredentialsFailure, RequestFailure, timedOut } from './errors.js';

/** Names of Node.js for a network that does not get through. */
const networkCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

interface LibraryError {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly response?: { readonly status?: unknown };
}

/**
 * @param limitMs milliseconds after which the answer is not waited for any more.
 * @throws RequestFailure for what may pass, and after the limit; CredentialsFailure for what stays; SrvError `cancelled`.
 */
export async function identityCall<T>(call: Promise<T>, limitMs: number, signal?: AbortSignal): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await orAborted(call, signal ? AbortSignal.any([signal, limit.signal]) : limit.signal);
  } catch (error) {
    throwIfAborted(signal);
    if (limit.signal.aborted) throw new RequestFailure('the identity service did not answer in time', { reason: timedOut });
    throw identityFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

function identityFailure(error: unknown): CredentialsFailure | RequestFailure {
  if (error instanceof CredentialsFailure) return error;
  const { code, response, status = response?.status } = error as LibraryError;
  if (typeof status === 'number' && (status >= 500 || status === 429)) return new RequestFailure(messageOf(error), { status });
  if (status === undefined && typeof code === 'string' && networkCodes.has(code)) return new RequestFailure(messageOf(error));
  return new CredentialsFailure(messageOf(error));
}
