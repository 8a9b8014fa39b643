/** What Cosmos DB, the SDK and the network report, as codes of the product. */
import { SrvError, messageOf } from '@srv/kernel';
import type { ErrorCode } from '@srv/kernel';

const reach = 'check database.cosmosdb.endpoint and the network';
const credentials = 'check database.cosmosdb.key, or the credentials of the environment when it is not set';

/** What the service adds to a status 404 when the container or the database is missing rather than the document. */
export const ownerMissing = 1003;
export const ownerMissingText = 'the database or the container is gone; a restart makes empty ones';

/** By HTTP status. */
const statuses: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['invalid', 'Cosmos DB refuses the request'],
  401: ['forbidden', credentials],
  403: ['forbidden', credentials],
  404: ['unavailable', ownerMissingText],
  408: ['unavailable', 'try again later'],
  410: ['unavailable', 'try again later'],
  413: ['invalid', 'the entry is too large'],
  429: ['slow_down', 'try again later, or raise the throughput of the container'],
  449: ['slow_down', 'too many writers change the same key; try again later'],
};

/** By the error's name or code of the system. */
const names: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^AbortError$/, 'cancelled', 'the request was cancelled'],
  [/^(AuthenticationError|AuthenticationRequiredError|AggregateAuthenticationError|CredentialUnavailableError)$/, 'forbidden', credentials],
  [/^(TimeoutError|REQUEST_SEND_ERROR|PARSE_ERROR|E[A-Z]+|EAI_AGAIN)$/, 'unavailable', reach],
];

/** @param place container and endpoint. */
export function explain(error: unknown, place: string): SrvError {
  if (error instanceof SrvError) return error;
  const cause = error instanceof RetriesExhausted ? error.cause : error;
  const doubt = error instanceof RetriesExhausted && error.mayHaveHappened ? '; the write may or may not have happened' : '';
  const status = statusOf(cause);
  const [code, advice] = (status === undefined ? byName(cause) : byStatus(status)) ?? ['internal', 'look at the message'];
  return new SrvError(code, `Cosmos DB ${place}: ${reasonOf(cause)}; ${advice}${doubt}`, { cause });
}

/** A failure that the SDK must not answer with another attempt. */
export class RetriesExhausted extends Error {
  /** Whether it was a write that may have reached the service. */
  readonly mayHaveHappened: boolean;

  constructor(cause: unknown, mayHaveHappened: boolean) {
    super(reasonOf(cause), { cause });
    this.mayHaveHappened = mayHaveHappened;
  }
}

/** The HTTP status that the service answered with. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

export function isOwnerMissing(error: unknown): boolean {
  return error instanceof Error && 'substatus' in error && error.substatus === ownerMissing;
}

/** Whether a request failed before the service could answer. */
export function isNetworkError(error: unknown): boolean {
  return statusOf(error) === undefined && byName(error)?.[0] === 'unavailable';
}

/** Whether a request failed before anything was sent. */
export function isNotSent(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(String(error.code))
  );
}

function byStatus(status: number): readonly [ErrorCode, string] | undefined {
  return statuses[status] ?? (status >= 500 ? ['unavailable', 'try again later'] : undefined);
}

function byName(error: unknown): readonly [ErrorCode, string] | undefined {
  if (!(error instanceof Error)) return undefined;
  const called = [error.name, 'code' in error ? String(error.code) : ''];
  const found = names.find(([pattern]) => called.some(name => pattern.test(name)));
  return found && [found[1], found[2]];
}

/** Answers of the service begin with one line for people; details of its inner life follow. */
function reasonOf(error: unknown): string {
  const text = messageOf(error) || (error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : '');
  return (text.split(/\r?\n/)[0] ?? '').slice(0, 300).replace(/\.$/, '') || `status ${statusOf(error) ?? 'unknown'}`;
}
