/** What the service, the network and the credentials answer, as errors of the product. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { missingContainer } from '@srv/lib-stores/block';
import type { ErrorCode } from '@srv/kernel';

/** The parts of the client's errors that are read; their class differs between package copies. */
interface ServiceFailure {
  readonly name?: string;
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
}

/** An answer that the service never gives, such as the page of a proxy. */
export class UnexpectedAnswer extends Error {}

const credentialAdvice =
  'check blockstore.azure.storage_account and blockstore.azure.storage_access_key, or the role of the identity (Storage Blob Data Contributor)';

/** By error code of the service; looked at before the status. */
const byCode: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  BlobNotFound: ['no_data', 'not found'],
  ResourceNotFound: ['no_data', 'not found'],
  BlobArchived: ['unsupported', 'the object is in the archive tier; rehydrate it before reading'],
  ServerBusy: ['slow_down', 'the storage account is throttling'],
  InvalidResourceName: ['invalid', 'the service does not accept the name'],
  InvalidUri: ['invalid', 'the service does not accept the name'],
  BlockCountExceedsLimit: ['invalid', 'the body is too long for its blocks; announce its size'],
  OutOfRangeInput: ['invalid', 'the service does not accept the name'],
  ConditionNotMet: ['unavailable', 'the object was replaced while it was read; read it again'],
  CredentialUnavailableError: ['forbidden', `no credentials were found; ${credentialAdvice}`],
  AggregateAuthenticationError: ['forbidden', `no credentials worked; ${credentialAdvice}`],
  AuthenticationError: ['forbidden', `the identity was refused; ${credentialAdvice}`],
};

const byStatus: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  401: ['forbidden', `access denied; ${credentialAdvice}`],
  403: ['forbidden', `access denied; ${credentialAdvice}`],
  404: ['no_data', 'not found'],
  429: ['slow_down', 'the storage account is throttling'],
  503: ['slow_down', 'the storage account is throttling'],
};

/** The service's name for what went wrong, such as `BlobNotFound`. */
export function serviceCode(error: unknown): string | undefined {
  const { code, details } = error as ServiceFailure;
  return code ?? details?.errorCode;
}

export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return statuses.includes((error as ServiceFailure).statusCode ?? 0);
}

/**
 * @param address what was asked for.
 * @param endpoint where; named when it cannot be reached.
 * @param signal the caller's: when it is aborted, that is why.
 */
export function toSrvError(error: unknown, address: string, endpoint: string, signal?: AbortSignal): SrvError {
  if (signal?.aborted) return new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason });
  if (isSrvError(error)) return error;
  const { name, statusCode } = error as ServiceFailure;
  const code = serviceCode(error);
  if (code === 'ContainerNotFound' || code === 'ContainerBeingDeleted') return missingContainer(address, 'container', error);
  const known = byCode[code ?? ''] ?? byCode[name ?? ''] ?? byStatus[statusCode ?? 0];
  const said = firstLine(error);
  if (known) return new SrvError(known[0], `${address}: ${known[1]} (${code ?? statusCode ?? name})`, { cause: error });
  // 2xx: the body, or a header, could not be read.
  if (error instanceof UnexpectedAnswer || (statusCode !== undefined && statusCode < 400)) {
    const what = `something else than Blob Storage answers at ${endpoint} (${[statusCode, said.slice(0, 300)].filter(Boolean).join(': ')})`;
    return new SrvError(
      'unavailable',
      `${address}: ${what}; check blockstore.azure.domain, proxies in between, and blockstore.azure.test_endpoint_url where it is set`,
      { cause: error },
    );
  }
  if (name === 'AbortError') return unreachable(address, endpoint, 'the connection broke or no answer came in time', error);
  if (statusCode === undefined || statusCode >= 500) return unreachable(address, endpoint, code ? `${code}: ${said}` : said, error);
  return new SrvError('internal', `${address}: the storage service refused the request: ${code ?? statusCode}: ${said}`, { cause: error });
}

function unreachable(address: string, endpoint: string, reason: string, cause: unknown): SrvError {
  const advice = 'check the network, the account name and blockstore.azure.domain';
  return new SrvError('unavailable', `${address}: ${endpoint} cannot be reached or did not finish its answer (${reason}); ${advice}`, {
    cause,
  });
}

/** The service puts request ids on further lines. */
function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}
