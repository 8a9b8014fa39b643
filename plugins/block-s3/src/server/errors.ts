/** What failed requests mean to the caller of the store. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { missingContainer } from '@srv/lib-stores/block';
import { BodyFailure } from './source.js';
import type { ErrorCode } from '@srv/kernel';

/** What was asked for when a request failed. */
interface FailedRequest {
  /** URI of the object, or of what is walked. */
  readonly address: string;
  /** Where requests go. */
  readonly endpoint: string;
  /** What a bare "404 Not Found" means. Default: the object has no data. */
  readonly absent?: 'upload' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that an S3 service never gives, such as the page of a proxy. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** @throws UnexpectedAnswer when the answer lacks what every S3 answer of its kind has. */
export function present(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UnexpectedAnswer(`it answered without ${name}`);
  return value;
}

interface Meaning {
  readonly code: ErrorCode;
  /** What was wrong and what to do; follows the address. */
  readonly text: string;
}

const noData: Meaning = { code: 'no_data', text: 'no such object' };
const noUpload: Meaning = { code: 'not_found', text: 'the upload does not exist; it may have been completed or aborted' };
const slowDown: Meaning = { code: 'slow_down', text: 'the store is throttling; try again later or with fewer requests at a time' };
const badKeys: Meaning = {
  code: 'forbidden',
  text: 'the store does not accept the credentials; check blockstore.s3.credentials, the profile and the clock of this machine',
};
const denied: Meaning = { code: 'forbidden', text: 'the store denies access; check the policies of the credentials and of the bucket' };
const unreachable: Meaning = {
  code: 'unavailable',
  text: 'the store cannot be reached; check blockstore.s3.endpoint, the network and the service itself',
};
const faulty: Meaning = { code: 'unavailable', text: 'the store has a fault; try again later or look at its log' };
const notTheStore: Meaning = {
  code: 'unavailable',
  text: 'something else than an S3 service answers at this address; check blockstore.s3.endpoint, its scheme, and proxies in between',
};
const refused: Meaning = { code: 'invalid', text: 'the store refuses the request' };
const wrongRegion: Meaning = {
  code: 'config',
  text: 'the bucket lies in another region; set blockstore.s3.region or leave blockstore.s3.discover_bucket_region on',
};

/** By the code that the store or the client library gives; a code that is missing here is judged by its HTTP status. */
const meanings: Readonly<Record<string, Meaning>> = {
  NoSuchKey: noData,
  NoSuchVersion: noData,
  NoSuchUpload: noUpload,
  SlowDown: slowDown,
  RequestLimitExceeded: slowDown,
  Throttling: slowDown,
  ThrottlingException: slowDown,
  TooManyRequestsException: slowDown,
  AccessDenied: denied,
  AllAccessDisabled: denied,
  AccountProblem: denied,
  ExpiredToken: badKeys,
  InvalidAccessKeyId: badKeys,
  InvalidToken: badKeys,
  RequestTimeTooSkewed: badKeys,
  SignatureDoesNotMatch: badKeys,
  InvalidObjectState: { code: 'forbidden', text: 'the object is archived; restore it first' },
  InvalidPart: { code: 'invalid', text: 'a listed part was never uploaded or has another etag' },
  InvalidPartOrder: refused,
  EntityTooSmall: { code: 'invalid', text: 'a part is too small; all but the last need 5 MiB' },
  EntityTooLarge: { code: 'invalid', text: 'the object or part is too large for the store' },
  KeyTooLongError: { code: 'invalid', text: 'the key is too long for the store' },
  URIError: { code: 'invalid', text: 'the key is not valid Unicode' },
  InvalidBucketName: { code: 'invalid', text: 'the store takes no bucket of that name' },
  NotImplemented: { code: 'unsupported', text: 'the store does not offer the operation' },
  PermanentRedirect: wrongRegion,
  TemporaryRedirect: {
    code: 'unavailable',
    text: 'the store redirects requests for this bucket at present, as for a new one; try again later',
  },
  AuthorizationHeaderMalformed: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  CredentialsProviderError: {
    code: 'config',
    text: 'no credentials were found; set blockstore.s3.credentials or blockstore.s3.profile, or give this machine a role',
  },
  TimeoutError: unreachable,
  UnexpectedAnswer: notTheStore,
};

const byStatus: Readonly<Record<number, Meaning>> = {
  401: badKeys,
  403: denied,
  405: { code: 'unsupported', text: 'the store does not offer the operation' },
  412: { code: 'precondition_failed', text: 'the object changed meanwhile' },
  429: slowDown,
  501: { code: 'unsupported', text: 'the store does not offer the operation' },
};

/** Codes of sockets and name look-ups. */
const connectionCodes =
  /^(E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND|ADDRNOTAVAIL|PROTO)|ERR_(TLS|SSL|STREAM_PREMATURE_CLOSE)|CERT_|HPE_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** Status and headers of an error that the store answered; absent when there was no answer. */
export function answerOf(
  error: unknown,
): { status: number; headers: Readonly<Record<string, string>>; reason?: string | undefined } | undefined {
  const response = error instanceof Error && '$response' in error ? error.$response : undefined;
  if (typeof response !== 'object' || response === null || !('statusCode' in response) || !('headers' in response)) return undefined;
  const { statusCode, headers, reason } = response as { statusCode: number; headers: Record<string, string>; reason?: string };
  return { status: statusCode, headers, reason };
}

/** A failure of the client library as a SrvError; errors of the caller's body stay what they are. */
export function translate(error: unknown, { address, endpoint, absent, signal }: FailedRequest): unknown {
  if (error instanceof BodyFailure) return error.cause;
  if (isSrvError(error)) return error;
  if (signal?.aborted) return new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason });
  if (error instanceof Error && error.name === 'NoSuchBucket') return missingContainer(address, 'bucket', error);
  const meaning = meaningOf(error, absent);
  if (!meaning) return error;
  const where = meaning.code === 'unavailable' ? `${address}: ${endpoint}` : address;
  return new SrvError(meaning.code, `${where}: ${meaning.text} (${reasonOf(error)})`, { cause: error });
}

function meaningOf(error: unknown, absent: 'upload' | undefined): Meaning | undefined {
  if (!(error instanceof Error)) return undefined;
  const named = Object.hasOwn(meanings, error.name) ? meanings[error.name] : undefined;
  if (named) return named;
  if ('code' in error && connectionCodes.test(String(error.code))) return unreachable;
  const answer = answerOf(error);
  if (!answer) return '$metadata' in error ? faulty : undefined;
  if (answer.status === 404) return absent === 'upload' ? noUpload : noData;
  // HEAD has no body to name the error in.
  if (answer.status === 503 && answer.reason === 'Slow Down') return slowDown;
  if (answer.status === 301 && 'x-amz-bucket-region' in answer.headers) return wrongRegion;
  // 2xx: the body could not be read. 3xx: S3 names its redirects.
  if (answer.status < 400) return notTheStore;
  return byStatus[answer.status] ?? (answer.status >= 500 ? faulty : refused);
}

function reasonOf(error: unknown): string {
  const { name } = error instanceof Error ? error : { name: '' };
  const message = messageOf(error);
  return name === '' || name === 'Error' || message.startsWith(name) ? message : `${name}: ${message}`;
}

/** Whether a connection was open and nothing moved on it until the time limit, which is long enough for all attempts. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError' && error.message.includes('of inactivity');
}

/** How often a failed request was sent; 0 if it was not counted. */
export function attemptsOf(error: unknown): number {
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  return typeof metadata === 'object' && metadata !== null && 'attempts' in metadata ? Number(metadata.attempts) : 0;
}
