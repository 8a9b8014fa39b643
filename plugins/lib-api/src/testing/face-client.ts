/** Requests of any shape to a face, as they are. */
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface FaceRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface FaceResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
}

/** @param path as it goes over the wire: nothing is encoded or normalised. */
export function sendRaw(url: string, path: string, { method = 'GET', headers = {}, body }: FaceRequestOptions = {}): Promise<FaceResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest({ hostname, port, path, method, headers: { ...length, ...headers }, agent: false }, response => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('error', reject);
      response.once('end', () => {
        const bytes = Buffer.concat(pieces);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString('utf8'), bytes });
      });
    });
    request.once('error', reject);
    request.end(body);
  });
}
