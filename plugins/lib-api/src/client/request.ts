/** What an operation's input becomes on the wire. */
import { SrvError } from '@srv/kernel';
import { encodeName } from '../operations/schema/path-names.js';
import { basePath } from '../operations/table.js';
import type { Upload } from '../operations/operation.js';
import type { WireShape } from './wire-shape.js';

export interface WireRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Upload | undefined;
}

/** Appends the base path to an endpoint that names only a host. @throws SrvError `invalid` for anything but an HTTP URL. */
export function parseEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SrvError('invalid', `server endpoint ${JSON.stringify(endpoint)} is not an http:// or https:// URL`);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  url.pathname = path === '' ? basePath : path;
  url.search = '';
  url.hash = '';
  return url;
}

/** @throws SrvError `invalid` when a part of the path is missing. */
export function buildRequest(endpoint: URL, operation: WireShape, input: Readonly<Record<string, unknown>>): WireRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name];
    if (value === undefined || value === '') throw new SrvError('invalid', `${operation.operationId}: ${name} is missing`);
    const text = textOf(value);
    // Resolved away by every URL parser, encoded or not.
    if (text === '.' || text === '..') throw new SrvError('invalid', `${operation.operationId}: ${name} cannot be ${text}`);
    return encodeName(text);
  });
  const url = new URL(endpoint);
  url.pathname = endpoint.pathname + path;
  for (const name of Object.keys(operation.query ?? {})) {
    for (const value of [input[name]].flat()) if (value !== undefined && value !== null) url.searchParams.append(name, textOf(value));
  }
  const headers: Record<string, string> = {};
  for (const name of Object.keys(operation.headers ?? {})) if (input[name] !== undefined) headers[name.toLowerCase()] = textOf(input[name]);
  const { body } = input;
  if (operation.body === 'stream')
    return { url, headers: { 'content-type': 'application/octet-stream', ...headers }, body: body as Upload };
  if (operation.body === undefined || body === undefined) return { url, headers, body: undefined };
  return { url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : `${value as string | number | boolean}`;
}
