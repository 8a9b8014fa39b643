/** What DynamoDB, the SDK and the network report, as codes of the product. */
import { SrvError, messageOf } from '@srv/kernel';
import type { ErrorCode } from '@srv/kernel';

/** By the name of the error or the code of the system. */
const meanings: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /^(ProvisionedThroughputExceeded|Throttl|RequestThrottled|RequestLimitExceeded|TooManyRequests|SlowDown|BandwidthLimitExceeded|LimitExceeded|PriorRequestNotComplete|TransactionInProgress|EC2Throttled)/,
    'slow_down',
    'try again later, or raise the capacity of the table',
  ],
  [
    /^(AccessDenied|UnrecognizedClient|InvalidSignature|MissingAuthenticationToken|IncompleteSignature|ExpiredToken|InvalidClientTokenId|CredentialsProviderError|TokenProviderError|OptInRequired)/,
    'forbidden',
    'check the credentials and what the README of kv-dynamodb says they must allow',
  ],
  [/^ResourceNotFound/, 'unavailable', 'the table is gone; a restart makes an empty one'],
  [/^ItemCollectionSizeLimitExceeded/, 'invalid', 'the partition is too large'],
  [/^(Validation|Serialization)/, 'invalid', 'DynamoDB refuses the request'],
  [/^AbortError$/, 'cancelled', 'the request was cancelled'],
  [
    /^(TimeoutError|RequestTimeout|InternalServer|InternalFailure|ServiceUnavailable|E[A-Z]+|EAI_AGAIN)/,
    'unavailable',
    'check database.dynamodb.endpoint, database.dynamodb.aws_region and the network',
  ],
];

/** @param place table and endpoint or region. */
export function explain(error: unknown, place: string): SrvError {
  if (error instanceof SrvError) return error;
  const names = namesOf(error);
  const [, code, advice] =
    meanings.find(([pattern]) => names.some(name => pattern.test(name))) ??
    (isServerFault(error) ? ([/^/, 'unavailable', 'try again later'] as const) : ([/^/, 'internal', 'look at the message'] as const));
  return new SrvError(code, `DynamoDB ${place}: ${reasonOf(error)}; ${advice}`, { cause: error });
}

/** Whether the condition of a write did not hold. */
export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}

/** The error's own name, then what the system calls it. */
function namesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [error.name, 'code' in error ? String(error.code) : ''].filter(name => name !== 'Error' && name !== '');
}

function isServerFault(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  return Number((error.$metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode) >= 500;
}

/** A failure on every address of a host has no message of its own. */
function reasonOf(error: unknown): string {
  return messageOf(error) || (error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : namesOf(error).join(' '));
}
