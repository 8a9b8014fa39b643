/** Failures as WebDAV shows them. */
import { isSrvError } from '@srv/kernel';
import { escapeXml } from '@srv/lib-api/http';
import { xmlHeader } from './xml/write.js';
import type { HttpResponse, ShownError } from '@srv/http/contract';

interface DavErrorOptions {
  /** Name of a precondition of RFC 4918, section 16. */
  readonly condition?: string;
  /** What the condition is about: content of its element. */
  readonly about?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A refusal with a status. */
export class DavError extends Error {
  readonly status: number;
  readonly condition: string | undefined;
  readonly about: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, { condition, about = '', headers = {}, cause }: DavErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DavError';
    this.status = status;
    this.condition = condition;
    this.about = about;
    this.headers = headers;
  }
}

const challenge = { 'WWW-Authenticate': 'Basic realm="srv", charset="UTF-8"' };

/** Status of a failure, where it differs from that of the HTTP API. */
export function statusOf(error: unknown, shown: ShownError): number {
  if (error instanceof DavError) return error.status;
  // There 401 also stands for "you may not", which would make clients ask for another password.
  if (isSrvError(error, 'denied')) return 403;
  if (isSrvError(error, 'no_data')) return 500;
  return shown.status;
}

/** The whole answer to a failed request. */
export function errorAnswer(error: unknown, shown: ShownError): HttpResponse {
  const status = statusOf(error, shown);
  const message = error instanceof DavError ? error.message : shown.message;
  const headers = error instanceof DavError ? error.headers : {};
  if (error instanceof DavError && error.condition !== undefined) {
    const condition = error.about === '' ? `<D:${error.condition}/>` : `<D:${error.condition}>${error.about}</D:${error.condition}>`;
    const text = `<S:message xmlns:S="urn:srv">${escapeXml(message)}</S:message>`;
    return {
      status,
      headers: { 'Content-Type': 'application/xml; charset=utf-8', ...headers },
      body: `${xmlHeader}<D:error xmlns:D="DAV:">${condition}${text}</D:error>\n`,
    };
  }
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...(status === 401 ? challenge : {}), ...headers },
    body: `${message}\n`,
  };
}
