/** Failures as clients of the Hub know them: they read headers, since answers to HEAD have no body. */
import { isSrvError } from '@srv/kernel';
import { headerValue, jsonResponse } from '@srv/lib-api/http';
import type { HttpResponse, ShownError } from '@srv/http/contract';

type HubCode = 'RepoNotFound' | 'RevisionNotFound' | 'EntryNotFound';

interface HubErrorOptions {
  readonly code?: HubCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body. */
  readonly body?: object;
  readonly cause?: unknown;
}

export class HubError extends Error {
  readonly status: number;
  readonly options: HubErrorOptions;

  constructor(status: number, message: string, options: HubErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HubError';
    this.status = status;
    this.options = options;
  }
}

export const repoNotFound = (id: string, cause?: unknown): HubError =>
  new HubError(404, `Repository not found: ${id}`, { code: 'RepoNotFound', cause });
export const revisionNotFound = (revision: string, cause?: unknown): HubError =>
  new HubError(404, `Invalid rev id: ${revision}`, { code: 'RevisionNotFound', cause });
export const entryNotFound = (path: string, headers: Readonly<Record<string, string>> = {}): HubError =>
  new HubError(404, `Entry not found: ${path}`, { code: 'EntryNotFound', headers });

/** The whole answer to a failed request. */
export function failed(error: unknown, shown: ShownError): HttpResponse {
  const { status, message } = describe(error, shown);
  const { code, headers = {}, body = {} } = error instanceof HubError ? error.options : {};
  // Clients of LFS look for `message`.
  const answer = jsonResponse(status, { error: message, message, ...body });
  return {
    ...answer,
    headers: {
      ...answer.headers,
      'X-Error-Message': headerValue(message).slice(0, 1000),
      ...(code === undefined ? {} : { 'X-Error-Code': code }),
      ...headers,
    },
  };
}

function describe(error: unknown, shown: ShownError): ShownError {
  if (error instanceof HubError) return { status: error.status, message: error.message };
  // There 401 also stands for "you may not", which these clients would take for a bad token.
  if (isSrvError(error, 'denied')) return { status: 403, message: shown.message };
  if (isSrvError(error, 'unauthenticated')) return { status: 401, message: 'Invalid credentials in Authorization header' };
  if (isSrvError(error, 'dirty_branch'))
    return { status: 412, message: 'the branch has uncommitted changes, which this commit would mix with: commit or reset them first' };
  if (isSrvError(error, 'precondition_failed'))
    return { status: 412, message: 'A commit has happened since. Please refresh and try again.' };
  if (isSrvError(error, 'no_data')) return { status: 500, message: 'the data of the file is missing from the block store' };
  return shown;
}
