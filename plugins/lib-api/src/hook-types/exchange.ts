/** An HTTP request of a hook, printed with its answer to the hook's output (actions sheet, section 6). */
import { STATUS_CODES } from 'node:http';
import { formatDuration, messageOf } from '@srv/kernel';
import type { Dispatcher } from 'undici';
import type { HookRequest } from './hook-type.js';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. Never printed: it may hold secrets. Its user and password, if any, are sent unless `headers` authorize. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for all of it, body and redirects included. */
  readonly timeout: number;
  /** Bytes kept of the answer's body; the rest is not read. Default: {@link bodyLimit}. */
  readonly limit?: number;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly body: Buffer;
}

const bodyLimit = 64 * 2 ** 10;
const mostRedirects = 10;
/** The longest that a timer can wait. */
const longestWait = 2 ** 31 - 1;
const userAgent = 'srv-hooks/0.1';

type Client = Pick<typeof import('undici'), 'request'> & { readonly dispatcher: Dispatcher };

let client: Promise<Client> | undefined;

/** Connections of all hooks; proxies as the environment names them. Loaded with the first request: most servers have no hooks. */
function openClient(): Promise<Client> {
  client ??= connect();
  return client;
}

async function connect(): Promise<Client> {
  const { Agent, EnvHttpProxyAgent, request } = await import('undici');
  const { env } = process;
  const isProxied = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some(name => env[name]);
  // Idle connections are not kept: hooks are seldom, and receivers restart.
  const options = { keepAliveTimeout: 1000, headersTimeout: 0, bodyTimeout: 0 };
  return { request, dispatcher: isProxied ? new EnvHttpProxyAgent(options) : new Agent(options) };
}

/**
 * Sends the request and prints duration and answer.
 * @throws Error that says what went wrong; of a limit of time that it was exceeded.
 */
export async function sendRequest(
  { method, url, headers, body, timeout, limit = bodyLimit }: OutgoingRequest,
  { log, signal }: Pick<HookRequest, 'log' | 'signal'>,
): Promise<ReceivedResponse> {
  const timer = new AbortController();
  const expiry = setTimeout(() => timer.abort(), Math.min(timeout, longestWait));
  const leave = (): void => timer.abort();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const begin = performance.now();
  const duration = (): string => formatDuration(Math.round(performance.now() - begin));
  try {
    const sent = { ...usual(url, headers), ...headers };
    const answer = await follow({ method, url, headers: sent, body, signal: timer.signal }, log);
    log(`\nRequest duration: ${duration()}\n\nResponse:\n`);
    log(headOf(answer));
    const received = await bounded(answer.body, limit);
    log(received.body);
    log(received.isCut ? `\n[the rest of the answer is not read]\n` : '\n');
    return { status: answer.statusCode, body: received.body };
  } catch (error) {
    log(`\nRequest duration: ${duration()}\n`);
    const where = `${method === 'POST' ? 'Post' : 'Get'} "${url.origin}${url.pathname}"`;
    if (signal.aborted) throw signal.reason instanceof Error ? signal.reason : new Error(`${where}: context canceled`);
    const what = timer.signal.aborted
      ? `context deadline exceeded (Client.Timeout exceeded: no complete answer within ${formatDuration(timeout)})`
      : messageOf(error);
    throw new Error(`${where}: ${what}`, { cause: error });
  } finally {
    clearTimeout(expiry);
    signal.removeEventListener('abort', leave);
  }
}

/** What is sent where `headers` do not say it. The client does not send what stands before the `@` of an address. */
function usual({ username, password }: URL, headers: OutgoingRequest['headers']): Record<string, string> {
  const given = Object.keys(headers).map(name => name.toLowerCase());
  const pair = `${decoded(username)}:${decoded(password)}`;
  return {
    ...(given.includes('user-agent') ? {} : { 'user-agent': userAgent }),
    ...(given.includes('authorization') || pair === ':' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
  };
}

/** Addresses may have a `%` that escapes nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Step {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** Follows redirects within the same origin: a receiver must not send the event and its headers elsewhere. */
async function follow(first: Step, log: HookRequest['log']): Promise<Dispatcher.ResponseData> {
  let step = first;
  for (let redirects = 0; ; redirects++) {
    const { url, method, headers, body, signal } = step;
    const { request, dispatcher } = await openClient();
    const answer = await request(url.href, { method, headers, signal, dispatcher, ...(body === undefined ? {} : { body }) });
    const target = redirectOf(answer, url);
    if (!target) return answer;
    if (target.origin !== url.origin) {
      log(`Redirect to ${target.origin} is not followed: it is another host\n`);
      return answer;
    }
    if (redirects === mostRedirects) throw new Error(`stopped after ${mostRedirects} redirects`);
    await answer.body.dump();
    const isRepeated = answer.statusCode === 307 || answer.statusCode === 308 || method === 'GET';
    step = { ...step, url: target, ...(isRepeated ? {} : { method: 'GET', body: undefined, headers: withoutContent(headers) }) };
  }
}

function redirectOf({ statusCode, headers: { location } }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode);
  return isRedirect && typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

function withoutContent(headers: Step['headers']): Step['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type'));
}

/** Status line and headers as on the wire, with an empty line after them. */
function headOf({ statusCode, headers }: Dispatcher.ResponseData): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map(text => `${canonicalName(name)}: ${text ?? ''}\r\n`));
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines.join('')}\r\n`;
}

function canonicalName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, start => start.toUpperCase());
}

async function bounded(
  stream: Dispatcher.ResponseData['body'],
  limit: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    chunks.push(bytes.subarray(0, limit - length));
    length += bytes.length;
    if (length > limit) return { body: Buffer.concat(chunks), isCut: true };
  }
  return { body: Buffer.concat(chunks), isCut: false };
}
