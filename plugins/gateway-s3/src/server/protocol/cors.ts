/** Cross-origin requests (the Fetch standard): which pages of other origins may use the gateway from a browser. */
import { S3Error } from './errors.js';

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** Seconds a browser remembers the answer to a pre-flight request. */
const maxAge = '3000';
/** What a browser says about the page that sends a request, and what it requests for that page. */
export interface CrossOrigin {
  readonly origin: string;
  /** Of a pre-flight request. */
  readonly method?: string | undefined;
  readonly headers?: string | undefined;
}

type Headers = Record<string, string>;

/** Whether one of `allowed` is the origin, or `*`, or has one `*` in place of a part of it. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const name = origin.toLowerCase();
  return allowed.some(pattern => {
    const [start = '', end] = pattern.toLowerCase().split(/\*(.*)/s);
    if (end === undefined) return name === start;
    return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  });
}

/** Headers of an answer, all of which may be read: credentials of browsers play no role here. None for pages that may not read it. */
export function crossOriginHeaders({ origin }: CrossOrigin, allowed: readonly string[]): Headers {
  if (!isAllowedOrigin(origin, allowed)) return allowed.length === 0 ? {} : { Vary: 'Origin' };
  return { 'Access-Control-Allow-Origin': allowed.includes('*') ? '*' : origin, 'Access-Control-Expose-Headers': '*', Vary: 'Origin' };
}

/**
 * Headers that let the browser send the request it announced.
 * @throws S3Error `AccessForbidden`.
 */
export function preflightHeaders({ origin, method = '', headers }: CrossOrigin, allowed: readonly string[]): Headers {
  if (!isAllowedOrigin(origin, allowed) || !methods.includes(method)) throw new S3Error('AccessForbidden');
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    ...(headers === undefined || !/^[\w\-!#$%&'*+.^`|~, ]+$/.test(headers) ? {} : { 'Access-Control-Allow-Headers': headers }),
    'Access-Control-Max-Age': maxAge,
  };
}
