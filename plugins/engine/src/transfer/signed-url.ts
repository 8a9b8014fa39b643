/** Requests to pre-signed URLs: exact length, and none of our own authentication. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';

/** An object store's answer other than 2xx. */
export class SignedRequestError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, reason: string) {
    super(`request failed: ${statusCode} ${reason}`.trimEnd());
    this.statusCode = statusCode;
  }
}

/** Whether an answer refuses a request that may not be sent again as it is; 429 only asks to wait. */
export function isRefusalStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Milliseconds; a URL must stay good until the store has seen the request. */
const leastValidity = 15_000;

/** Whether a URL is about to expire, or does not say when it does. */
export function willExpire(url: string, now = Date.now()): boolean {
  const { searchParams } = new URL(url);
  const stamp = searchParams.get('X-Amz-Date')?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const end = Date.parse(stamp ?? '') + Number(searchParams.get('X-Amz-Expires') ?? Number.NaN) * 1000;
  return !(end - now >= leastValidity);
}

/** @returns headers of the answer. @throws SignedRequestError for a status that is not 2xx. */
export async function putSigned(
  url: string,
  body: Readable,
  size: number,
  {
    contentType,
    headers: wanted = {},
    signal,
  }: { contentType?: string | undefined; headers?: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<IncomingMessage['headers']> {
  const headers = {
    'Content-Length': size,
    ...(contentType ? { 'Content-Type': contentType } : {}),
    ...wanted,
  };
  const response = await send(url, { method: 'PUT', headers, signal }, body);
  response.resume();
  return response.headers;
}

/** The bytes from `start` to `end`, inclusive. */
export async function getSignedRange(url: string, start: number, end: number, signal: AbortSignal): Promise<Readable> {
  const response = await send(url, { method: 'GET', headers: { Range: `bytes=${start}-${end}` }, signal });
  if (response.statusCode !== 206 || Number(response.headers['content-length']) !== end - start + 1) {
    response.destroy();
    throw new Error(`the object store answered ${response.statusCode} to a request for bytes ${start}-${end}`);
  }
  return response;
}

async function send(url: string, options: RequestOptions, body?: Readable): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // Pipelines abort the request, which fails as a lost connection: here the body is why.
    body?.once('error', error => void (request.destroyed || reject(error)));
  });
  // It may fail before the pipeline has ended.
  answer.catch(() => undefined);
  // A failed body shows up as a failed request, too.
  if (body) await pipeline(body, request).catch((error: unknown) => request.destroy(error instanceof Error ? error : undefined));
  else request.end();
  const response = await answer;
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return response;
  response.resume();
  throw new SignedRequestError(statusCode, response.statusMessage ?? '');
}
