/**
 * Requests to the JSON API, with the credentials of the client library. Its own object calls cannot be cancelled, and a
 * download that is given up there destroys the connections of all others, which then wait for bytes forever.
 */
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, throwIfAborted } from '@srv/kernel';
import { backOffMs } from '@srv/lib-stores/block';
import { RequestFailure, isTransient, timedOut, unexpectedAnswer } from './errors.js';
import { identityCall } from './identity-calls.js';
import { objectOf } from './resource.js';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Storage } from '@google-cloud/storage';
import type { Block } from '@srv/lib-stores/block';
import type { ObjectResource } from './resource.js';

export interface ApiOptions {
  /** Instead of `https://storage.googleapis.com`; no tokens are fetched for it. */
  readonly testEndpointUrl?: string | undefined;
  /** Milliseconds until an answer must begin, and it may go without a byte. Default: 5 minutes. */
  readonly timeout?: number;
  readonly retry?: RetryOptions;
  /** Objects per page of a listing; tests use few. Default: 1000, the service's limit. */
  readonly pageSize?: number;
}

interface RetryOptions {
  /** Tries of one request, the first included. Default: 5. */
  readonly tries?: number;
  /** Milliseconds before the first retry on average, doubled for each further one. Default: 500. */
  readonly delay?: number;
}

interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the endpoint, or a whole URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Block | undefined;
  readonly json?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Statuses other than success that are not errors. */
  readonly accept?: readonly number[];
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

const longestDelay = 30_000;
const defaultTimeout = 5 * 60_000;
/** Error texts are not read beyond this. */
const maxErrorBytes = 64 << 10;

export class Api {
  readonly endpoint: string;
  readonly timeout: number;
  readonly pageSize: number;
  readonly #storage: Storage;
  readonly #isTest: boolean;
  readonly #retry: Required<RetryOptions>;
  readonly #agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };

  constructor(storage: Storage, { testEndpointUrl, timeout = defaultTimeout, retry = {}, pageSize = 1000 }: ApiOptions) {
    this.#storage = storage;
    this.#isTest = testEndpointUrl !== undefined;
    this.endpoint = (testEndpointUrl ?? storage.apiEndpoint).replace(/(?<!\/)\/+$/, '');
    this.timeout = timeout;
    this.pageSize = pageSize;
    this.#retry = { tries: 5, delay: 500, ...retry };
  }

  /** All connections are theirs. */
  get agents(): readonly HttpAgent[] {
    return Object.values(this.#agents);
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** The answer's body decoded; `undefined` when it is empty. */
  async json<T>(call: ApiCall): Promise<T> {
    return (await this.retried(call.signal, () => this.answer<T>(call))).json;
  }

  /** {@link json} for a request that is answered with an object. */
  async object(call: ApiCall): Promise<ObjectResource> {
    return objectOf(await this.json(call));
  }

  /** A body to be read; the connection is free when it has ended or was destroyed. */
  async stream(call: ApiCall): Promise<ApiAnswer & { body: Readable }> {
    return this.retried(call.signal, () => this.#send(call));
  }

  /** One try. */
  async answer<T>(call: ApiCall): Promise<ApiAnswer & { json: T }> {
    const { body, ...answer } = await this.#send(call);
    const text = await textOf(body, this.timeout);
    return { ...answer, json: (text === '' ? undefined : parsed(text, answer.status)) as T };
  }

  /**
   * Tries again after failures that may pass. What is called must be the same when done twice.
   * @param between awaited before each further try.
   */
  async retried<T>(signal: AbortSignal | undefined, work: () => Promise<T>, between?: () => Promise<void>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal);
      try {
        if (attempt > 1) await between?.();
        return await work();
      } catch (error) {
        if (!isTransient(error) || attempt >= this.#retry.tries) throw error;
      }
      const pause = backOffMs(attempt, { firstMs: 2 * this.#retry.delay, longestMs: longestDelay });
      await sleep(pause, undefined, { signal });
    }
  }

  async #send({
    method = 'GET',
    path,
    query = {},
    headers = {},
    body,
    json,
    signal,
    accept = [],
  }: ApiCall): Promise<ApiAnswer & { body: Readable }> {
    const url = withQuery(path.startsWith('http') ? path : this.endpoint + path, query);
    const authorization = await this.#authorization(url, signal);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.timeout);
    const data = json === undefined ? body : blockOf(Buffer.from(JSON.stringify(json)));
    const contentType: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const response = await request(url, {
        method,
        headers: { ...contentType, ...headers, ...authorization, 'user-agent': 'srv', 'content-length': String(data?.length ?? 0) },
        agent: this.#agents[url.startsWith('https:') ? 'https:' : 'http:'],
        body: data,
        signal: signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal,
      }).finally(() => clearTimeout(timer));
      const { statusCode: status = 0 } = response;
      if ((status >= 200 && status < 300) || accept.includes(status)) return { status, headers: response.headers, body: response };
      throw failureOf(status, await textOf(response, this.timeout, maxErrorBytes));
    } catch (error) {
      if (error instanceof RequestFailure) throw error;
      throwIfAborted(signal);
      throw deadline.signal.aborted ? tooLate() : new RequestFailure(messageOf(error));
    }
  }

  async #authorization(url: string, signal: AbortSignal | undefined): Promise<Record<string, string>> {
    if (this.#isTest) return {};
    const headers = this.#storage.authClient.getClient().then(client => client.getRequestHeaders(url));
    return { ...(await identityCall(headers, this.timeout, signal)) };
  }
}

/** Chunks as the body of a request. */
export function blockOf(...chunks: readonly Buffer[]): Block {
  return { chunks, length: chunks.reduce((sum, chunk) => sum + chunk.length, 0) };
}

/** The path of an object; names are one segment, so that nothing in them is taken for a path. */
export function objectPath({ bucket, key }: { readonly bucket: string; readonly key: string }): string {
  return `/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(key)}`;
}

function withQuery(url: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]));
  return pairs.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

interface SendOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: HttpAgent;
  readonly body: Block | undefined;
  readonly signal: AbortSignal;
}

/** Resolves when the answer begins. The signal ends it later, too. */
function request(url: string, { body, ...options }: SendOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const sent = send(url, options, response => {
      // The reader sees the error; an answer without a reader must not end the process.
      response.on('error', () => undefined);
      resolve(response);
    });
    sent.on('error', reject);
    for (const chunk of body?.chunks ?? []) sent.write(chunk);
    sent.end();
  });
}

function tooLate(): RequestFailure {
  return new RequestFailure('no answer came in time', { reason: timedOut });
}

/** @param idleMs milliseconds after which a stream without a further byte is given up. */
async function textOf(stream: Readable, idleMs: number, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const idle = setTimeout(() => stream.destroy(tooLate()), idleMs);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      idle.refresh();
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw error instanceof RequestFailure ? error : new RequestFailure(messageOf(error));
  } finally {
    clearTimeout(idle);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedAnswer('it is not JSON', status);
  }
}

/** Most errors are JSON; those of downloads may be text. */
function failureOf(status: number, text: string): RequestFailure {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string; errors?: { reason?: string }[] } };
    if (error) return new RequestFailure(error.message ?? String(status), { status, reason: error.errors?.[0]?.reason });
  } catch {
    // No JSON.
  }
  return new RequestFailure(text.trim() || String(status), { status });
}
