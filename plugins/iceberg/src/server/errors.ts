/** Refusals in the shape of the protocol. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import type { HttpResponse, ShownError } from '@srv/http/contract';

/** Names that clients recognise. */
export type ErrorType =
  | 'BadRequestException'
  | 'IllegalArgumentException'
  | 'NotAuthorizedException'
  | 'ForbiddenException'
  | 'NoSuchNamespaceException'
  | 'NoSuchTableException'
  | 'NoSuchViewException'
  | 'NoSuchWarehouseException'
  | 'NotFoundException'
  | 'UnsupportedOperationException'
  | 'AlreadyExistsException'
  | 'NamespaceNotEmptyException'
  | 'CommitFailedException'
  | 'CommitStateUnknownException'
  | 'UnprocessableEntityException'
  | 'ServiceUnavailableException'
  | 'InternalServerError';

export class CatalogError extends Error {
  readonly status: number;
  readonly type: ErrorType;

  constructor(status: number, type: ErrorType, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'CatalogError';
    this.status = status;
    this.type = type;
  }
}

export function isCatalogError(error: unknown): error is CatalogError {
  return error instanceof CatalogError;
}

const types: Readonly<Record<number, ErrorType>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  404: 'NotFoundException',
  409: 'CommitFailedException',
  412: 'CommitFailedException',
  501: 'UnsupportedOperationException',
  503: 'ServiceUnavailableException',
};

/** Statuses after which clients repeat a request, if they learn when; seconds. */
const retryAfter: ReadonlyMap<number, string> = new Map([
  [429, '1'],
  [503, '1'],
]);

/**
 * Carries out what a commit does while it surely has not happened. What fails there is a refusal: clients take a 5xx as a commit
 * that may have happened.
 */
export async function uncommitted<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw notCommitted(error);
  }
}

/** The failure of a commit that surely has not happened. */
export function notCommitted(error: unknown): unknown {
  if (isCatalogError(error)) return error;
  const { code, details } = isSrvError(error) ? error : { code: 'internal' as const, details: {} };
  return new SrvError(code, messageOf(error), { cause: error, details: { ...details, notCommitted: true } });
}

/** The whole answer to a failed request. */
export function errorAnswer(error: unknown, shown: ShownError): HttpResponse {
  // There 401 also stands for "you may not", which would make clients renew their tokens.
  const known =
    error instanceof CatalogError ? error : { status: isSrvError(error, 'denied') ? 403 : shown.status, message: shown.message };
  const status = known.status === 412 || isRefusedCommit(error, known.status) ? 409 : known.status;
  const type =
    error instanceof CatalogError ? error.type : (types[status] ?? (status >= 500 ? 'InternalServerError' : 'BadRequestException'));
  const seconds = retryAfter.get(status);
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...(seconds === undefined ? {} : { 'Retry-After': seconds }) },
    body: `${JSON.stringify({ error: { message: known.message, type, code: status } })}\n`,
  };
}

/** Whether a fault is answered as a refusal. 501 does not make clients ask what has happened. @param status of the fault. */
export function isRefusedCommit(error: unknown, status: number): boolean {
  return isSrvError(error) && error.details['notCommitted'] === true && status >= 500 && status !== 501;
}
