/** An HTTP server that answers as a test says and remembers what it was asked. */
import { ScriptedHttp } from '@srv/test-servers';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

interface Recorded {
  readonly method: string;
  /** As it went over the wire. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Bytes of the body. */
  readonly length: number;
}

interface Recorder {
  readonly url: string;
  readonly requests: Recorded[];
  /** `GET /bucket/key`, without the query. */
  seen(): string[];
}

type Answer = (request: Recorded, response: ServerResponse, index: number) => void;

/** @param answer when the request has been read; default: 200 with an etag and no body. */
export async function record(t: { after(callback: () => Promise<void>): void }, answer: Answer = succeed): Promise<Recorder> {
  const requests: Recorded[] = [];
  const server = await ScriptedHttp.open((request, response) => {
    const { method = '', url = '', headers } = request;
    const answered = lengthOf(request).then(length => {
      const recorded = { method, url, headers, length };
      requests.push(recorded);
      answer(recorded, response, requests.length - 1);
    });
    // A client that goes away midway wants no answer.
    answered.catch(() => response.destroy());
  });
  t.after(() => server.close());
  return { url: server.url, requests, seen: () => requests.map(r => `${r.method} ${r.url.replace(/\?.*/, '')}`) };
}

async function lengthOf(request: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  return length;
}

export const succeed: Answer = (_request, response) => void response.writeHead(200, { etag: '"0123456789abcdef0123456789abcdef"' }).end();

/** An S3 error. */
export function refuse(response: ServerResponse, status: number, code: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/xml', ...headers });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>set by the test</Message></Error>`);
}

/** A document of S3. */
export function xml(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}
