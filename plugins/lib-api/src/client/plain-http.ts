/** HTTP/1 uses Node's own client: thousands of small objects take several times as long by got, which also takes 60 ms to load. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import type { Agents } from './agents.js';

interface PlainRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | undefined;
  readonly agents: Agents;
  readonly followRedirect: boolean;
  readonly signal?: AbortSignal | undefined;
}

const mostRedirects = 10;
const redirects = [301, 302, 303, 307, 308];

/** Resolves with the headers; the caller reads the body. Redirects are followed where they need no body. */
export async function sendPlain(url: URL, request: PlainRequest): Promise<IncomingMessage> {
  let [at, headers] = [url, request.headers];
  for (let redirected = 0; ; redirected++) {
    const response = await sendOnce(at, { ...request, headers });
    const { location } = response.headers;
    const follow = request.followRedirect && redirects.includes(response.statusCode ?? 0) && location !== undefined;
    if (!follow || request.body !== undefined) return response;
    response.resume();
    if (redirected === mostRedirects) throw new Error(`redirected more than ${mostRedirects} times`);
    const next = new URL(location, at);
    // Credentials are for the server they were given for.
    if (next.origin !== at.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
    at = next;
  }
}

function sendOnce(url: URL, { method, headers, body, agents, signal }: PlainRequest): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  const length: OutgoingHttpHeaders = Buffer.isBuffer(body) ? { 'content-length': body.length } : {};
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...length },
    agent: secure ? agents.https : agents.http,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = secure ? requestHttps(url, options) : requestHttp(url, options);
    outgoing.once('response', resolve).on('error', reject);
    // A server may refuse a body before it has all of it. After such an answer Node.js neither sends the rest nor closes the
    // connection.
    outgoing.once('response', answer => answer.once('end', () => void (outgoing.writableFinished || outgoing.destroy())));
    if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body);
    else {
      // Pipelines abort the request, which fails as a lost connection: here the body is why.
      body.once('error', error => void (outgoing.destroyed || reject(error)));
      // A failure shows up as a failed request, unless the answer is there already.
      pipeline(body, outgoing, error => void (error && outgoing.destroy(error)));
    }
  });
}
