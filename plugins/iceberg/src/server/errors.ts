/** Refusals in the shape of the protocol. */
import { isSrvError } from '@srv/kernel';
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

/** The whole answer to a failed request. */
export function errorAnswer(error: unknown, shown: ShownError): HttpResponse {
  // There 401 also stands for "you may not", which would make clients renew their tokens.
  const known =
    error instanceof CatalogError ? error : { status: isSrvError(error, 'denied') ? 403 : shown.status, message: shown.message };
  const status = known.status === 412 ? 409 : known.status;
  const type =
    error instanceof CatalogError ? error.type : (types[status] ?? (status >= 500 ? 'InternalServerError' : 'BadRequestException'));
  return {
    status,
    headers: { 'Content-Type': 'application/json' },
    body: `${JSON.stringify({ error: { message: known.message, type, code: status } })}\n`,
  };
}
