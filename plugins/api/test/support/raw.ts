/** Requests as a client without our library would send them. */
import { request as httpRequest } from 'node:http';
import { adminKey } from './server.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { TestServer } from './server.js';

export const basic = `Basic ${Buffer.from(`${adminKey.accessKeyId}:${adminKey.secretAccessKey}`).toString('base64')}`;

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface RawOptions {
  /** Values of repeated headers as arrays. */
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer | undefined;
  /** False: no credentials. */
  readonly signed?: boolean;
}

/** @param path below `/api/v1`, sent as it is. */
export function raw(
  server: Pick<TestServer, 'url'>,
  method: string,
  path: string,
  { headers = {}, body, signed = true }: RawOptions = {},
): Promise<RawAnswer> {
  return rawUrl(server, method, `/api/v1${path}`, {
    headers: signed ? { authorization: basic, ...headers } : headers,
    body,
  });
}

export function rawUrl(
  server: Pick<TestServer, 'url'>,
  method: string,
  path: string,
  { headers = {}, body }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname,
        port,
        method,
        path,
        headers: { ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }), ...headers },
      },
      response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function jsonBody(value: unknown): RawOptions {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}
