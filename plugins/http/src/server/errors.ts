/** The one table from error codes to HTTP statuses, and from anything thrown to what a caller may see. */
import { isBoom } from '@hapi/boom';
import { SrvError, isOutOfFiles, isSrvError, isStorageFull, messageOf } from '@srv/kernel';
import { isGone, jsonResponse } from '@srv/lib-api/http';
import type { ErrorCode, Logger } from '@srv/kernel';
import type { Exchange, HttpResponse, ShownError } from '../contract.js';

interface Row {
  readonly status: number;
  /** Shown instead of the error's own text: clients compare it, or the own text is not for callers. */
  readonly message?: string;
}

const storageFullText = 'the storage of the server is full: nothing was stored; free space or raise the quota, then repeat the request';
/** The server is reachable and will serve again once requests end: clients repeat 503. */
const outOfFilesText = 'too many files are open on the server, try again later';

/** Every code of the kernel; statuses and fixed texts are those existing clients were written against. */
export const statusByCode: Readonly<Record<ErrorCode, Row>> = {
  invalid: { status: 400 },
  no_changes: { status: 400 },
  dirty_branch: { status: 400 },
  unauthenticated: { status: 401 },
  denied: { status: 401 },
  forbidden: { status: 403 },
  read_only: { status: 403 },
  moving: { status: 503 },
  protected: { status: 403 },
  not_found: { status: 404 },
  not_unique: { status: 409 },
  conflict: { status: 409 },
  gone: { status: 410, message: 'repository in deletion' },
  no_data: { status: 410, message: 'No data' },
  precondition_failed: { status: 412 },
  hook_aborted: { status: 412 },
  too_many_tries: { status: 429, message: 'Too many attempts, try again later' },
  cancelled: { status: 499, message: 'request cancelled' },
  corrupt: { status: 500, message: 'stored data cannot be read; the server log has details' },
  config: { status: 500, message: 'internal server error' },
  plugin: { status: 500, message: 'internal server error' },
  internal: { status: 500, message: 'internal server error' },
  unsupported: { status: 501 },
  slow_down: { status: 503, message: 'Throughput exceeded. Slow down and retry' },
  unavailable: { status: 503, message: 'a backend of the server cannot be reached, try again later' },
  timeout: { status: 503, message: 'the operation took too long, try again later' },
  closed: { status: 503, message: 'the server is shutting down, try again later' },
  storage_full: { status: 507, message: storageFullText },
};

/** Statuses for which `Retry-After` helps; seconds. */
const retryAfter: ReadonlyMap<number, number> = new Map([
  [429, 1],
  [503, 1],
]);

const internal: ShownError = { status: 500, message: 'internal server error' };

/** What a caller may see of `error`: SrvErrors and refusals of the HTTP layer by their text, anything else as a plain 500. */
export function describe(error: unknown): ShownError {
  if (isStorageFull(error)) return { status: 507, message: storageFullText };
  if (isOutOfFiles(error)) return { status: 503, message: outOfFilesText };
  if (isSrvError(error)) {
    const { status, message } = statusByCode[error.code];
    // A plugin that knows more than the fixed text says adds to it, such as what became of the data.
    const { note } = error.details;
    return { status, message: message === undefined ? error.message : typeof note === 'string' ? `${message}: ${note}` : message };
  }
  if (!isBoom(error) || error.output.statusCode >= 500) return internal;
  // Clients of this API know 400 for a body of the wrong kind.
  const status = error.output.statusCode === 415 ? 400 : error.output.statusCode;
  return { status, message: error.message || error.output.payload.error };
}

/** What a request failed with: where its client has left, an error of the runtime for what was aborted means that it was cancelled. */
export function failureOf(error: unknown, { response }: Pick<Exchange, 'response'>): unknown {
  if (!(error instanceof Error) || error.name !== 'AbortError' || !isGone(response)) return error;
  return new SrvError('cancelled', 'the request was cancelled', { cause: error });
}

/** The response to a failed request; faults of the server are logged. */
export function errorResponse(thrown: unknown, exchange: Exchange, log: Logger): HttpResponse {
  const error = failureOf(thrown, exchange);
  const { status, message } = describe(error);
  if (status >= 500) reportFault(exchange, error, status, log);
  const seconds = retryAfter.get(status);
  const answer = jsonResponse(status, { message });
  return { ...answer, headers: { ...answer.headers, ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }) } };
}

/** Callers see a plain sentence; the operator sees the cause. */
export function reportFault({ requestId, request }: Exchange, error: unknown, status: number, log: Logger): void {
  const fields = {
    request_id: requestId,
    method: request.method ?? '',
    path: (request.url ?? '').split('?', 1)[0] ?? '',
    status_code: status,
    error: causesOf(error),
  };
  if (status === 501) log.debug(fields, 'unsupported request');
  else if (isSrvError(error, 'moving')) log.debug(fields, 'change of a repository that moves');
  else log.error({ ...fields, ...(error instanceof Error ? { stack: error.stack } : {}) }, 'request failed');
}

/** @returns what to call with the failure of a body whose headers are out. */
export function cutAnswerLogger(log: Logger, { requestId }: Exchange): (why: unknown) => void {
  return why => log.error({ request_id: requestId, error: causesOf(why) }, 'an answer ended before all of it was sent');
}

/** Messages of an error and of what caused it. */
function causesOf(error: unknown): string {
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < 5; cause = cause instanceof Error ? cause.cause : undefined)
    causes.push(messageOf(cause));
  return causes.join(': ');
}
