/** What the service, the network and the credentials answer, as errors of the product. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { missingContainer } from '@srv/lib-stores/block';
import type { ErrorCode } from '@srv/kernel';

/** A request that did not succeed. Carries no part of the request, which may hold keys and tokens. */
export class RequestFailure extends Error {
  /** Absent when there was no answer. */
  readonly status: number | undefined;
  /** The service's name for what went wrong, such as `notFound`. */
  readonly reason: string | undefined;

  constructor(message: string, { status, reason }: { status?: number; reason?: string | undefined } = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** No token could be had for the request. */
export class CredentialsFailure extends Error {}

const credentialAdvice =
  'check blockstore.gs.credentials_file or blockstore.gs.credentials_json, and the role of the account (Storage Object Admin)';
const keyAdvice = 'check blockstore.gs.server_side_encryption_customer_supplied';
const throttled = 'the service is throttling';

/** By reason of the service; looked at before the status. */
const byReason: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  rateLimitExceeded: ['slow_down', throttled],
  userRateLimitExceeded: ['slow_down', throttled],
  conditionNotMet: ['unavailable', 'the object was replaced while it was read; read it again'],
  resourceIsEncryptedWithCustomerEncryptionKey: ['forbidden', `the object is encrypted with a customer-supplied key; ${keyAdvice}`],
  customerEncryptionKeyIsIncorrect: ['forbidden', `the object is encrypted with another customer-supplied key; ${keyAdvice}`],
};

const byStatus: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['invalid', 'the service does not accept the request'],
  401: ['forbidden', `access denied; ${credentialAdvice}`],
  403: ['forbidden', `access denied; ${credentialAdvice}`],
  404: ['no_data', 'not found'],
  412: ['unavailable', 'the object was replaced while it was read; read it again'],
  413: ['invalid', 'the object is too large for the service'],
  429: ['slow_down', throttled],
  503: ['slow_down', throttled],
};

/** Reason of a request that was given up: the timeout of one attempt is long enough for all. */
export const timedOut = 'timedOut';

/** Reason of an answer that the service never gives, such as the page of a proxy. */
const unexpected = 'unexpectedAnswer';

/** @param status of the answer. @param text what it is, or lacks. */
export function unexpectedAnswer(text: string, status = 200): RequestFailure {
  return new RequestFailure(text, { status, reason: unexpected });
}

/** Answers that a second try may better. */
const transientStatuses = new Set([408, 429, 500, 502, 503, 504]);

export function isTransient(error: unknown): boolean {
  return (
    error instanceof RequestFailure && error.reason !== timedOut && (error.status === undefined || transientStatuses.has(error.status))
  );
}

export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof RequestFailure && statuses.includes(error.status ?? 0);
}

/**
 * @param address what was asked for.
 * @param endpoint where; named when it cannot be reached.
 * @param signal the caller's: when it is aborted, that is why.
 */
export function toSrvError(error: unknown, address: string, endpoint: string, signal?: AbortSignal): SrvError {
  if (signal?.aborted) return new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason });
  if (isSrvError(error)) return error;
  if (error instanceof CredentialsFailure)
    return new SrvError('forbidden', `${address}: no credentials (${firstLine(error)}); ${credentialAdvice}`, { cause: error });
  if (!(error instanceof RequestFailure)) return new SrvError('internal', `${address}: ${firstLine(error)}`, { cause: error });
  const { status, reason } = error;
  if (status === 404 && /bucket does not exist/i.test(error.message)) return missingContainer(address, 'bucket', error);
  if (reason === unexpected || (status !== undefined && status >= 300 && status < 400)) {
    const said = `something else than Cloud Storage answers at ${endpoint} (${status}: ${firstLine(error)})`;
    return new SrvError(
      'unavailable',
      `${address}: ${said}; check proxies in between, and blockstore.gs.test_endpoint_url where it is set`,
      {
        cause: error,
      },
    );
  }
  const known = byReason[reason ?? ''] ?? byStatus[status ?? 0];
  if (known) return new SrvError(known[0], `${address}: ${known[1]} (${reason ?? status}: ${firstLine(error)})`, { cause: error });
  if (status === undefined || status >= 500 || status === 408) {
    const said = `${endpoint} cannot be reached or did not finish its answer (${status === undefined ? '' : `${status}: `}${firstLine(error)})`;
    return new SrvError('unavailable', `${address}: ${said}; check the network`, { cause: error });
  }
  return new SrvError('internal', `${address}: the storage service refused the request: ${status}: ${firstLine(error)}`, { cause: error });
}

function firstLine(error: unknown): string {
  return (messageOf(error).split('\n', 1)[0] ?? '').slice(0, 300);
}
