/** Sends answers past the framework. */
import { Readable } from 'node:stream';
import { atEndOfTick, endWith, isGone, sendStream } from '@srv/lib-api/http';
import { closesConnection, linger } from './unread-body.js';
import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '@srv/lib-api/http';

/** What the framework adds to every answer that does not set it. */
const commonHeaders: readonly (readonly [string, string])[] = [
  ['Cache-Control', 'no-cache'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
];

/**
 * Sends an answer at the end of this tick of the event loop, together with the others of the tick.
 * @param extraHeaders names and values of headers in addition to the answer's own.
 * @param failed gets the error of an answer that could not be sent; the headers may be out already.
 * @param broken gets the error of a body that failed after the headers.
 * @returns bytes of the body, where they are known.
 */
export function sendAtEndOfTick(
  response: ServerResponse,
  answer: HttpResponse,
  extraHeaders: readonly string[],
  failed: (error: unknown) => void,
  broken: (why: unknown) => void,
): number | undefined {
  const { headers = {}, body, status } = answer;
  const known = headers['Content-Length'];
  const lines = [...extraHeaders];
  for (const [name, value] of commonHeaders) if (headers[name] === undefined) lines.push(name, value);
  for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  const length = known === undefined ? lengthOf(body) : Number(known);
  if (known === undefined && length !== undefined && status !== 304 && status !== 204) lines.push('Content-Length', String(length));
  atEndOfTick(() => {
    try {
      if (!isGone(response)) send(response, { status, lines, body, length }, broken);
      else if (body instanceof Readable) body.destroy();
    } catch (error) {
      if (body instanceof Readable) body.destroy();
      failed(error);
    }
  });
  return length;
}

/** @returns `undefined` for a stream. */
function lengthOf(body: HttpResponse['body']): number | undefined {
  if (body === undefined) return 0;
  return typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : undefined;
}

interface CompleteAnswer {
  readonly status: number;
  /** Names and values of headers in turns. */
  readonly lines: readonly string[];
  readonly body: HttpResponse['body'];
  /** Bytes; of a stream, where they are known. */
  readonly length: number | undefined;
}

function send(response: ServerResponse, { status, lines, body, length }: CompleteAnswer, broken: (why: unknown) => void): void {
  // The type knows lists of values per name; a flat list of names and values is meant.
  response.writeHead(status, lines as string[]);
  // What answers HEAD announces the length of what GET would send.
  if (response.req.method === 'HEAD') endBare(response, body);
  else if (body instanceof Readable) sendStream(response, body, length, broken);
  else if (closesConnection(response.req)) void endLate(response, body);
  else if (body === undefined) response.end();
  else endWith(response, body, length);
}

function endBare(response: ServerResponse, body: HttpResponse['body']): void {
  if (body instanceof Readable) body.destroy();
  response.end();
}

/** The client still sends: it has the whole response before the connection ends. */
export async function endLate(response: ServerResponse, body: string | Buffer | undefined): Promise<void> {
  if (body === undefined || body.length === 0) response.flushHeaders();
  else response.write(body);
  await linger(response.req);
  response.end();
}
