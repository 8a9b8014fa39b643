/** Sends operations over HTTP: keep-alive, retries, streams in both directions. */
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { encodeHeaders } from '../operations/header-text.js';
import { Agents } from './agents.js';
import { certificateRemedy, isCertificateCode } from './certificates.js';
import { ApiError } from './error.js';
import { sendPlain } from './plain-http.js';
import { buildRequest, parseEndpoint } from './request.js';
import { RetryPolicy } from './retry.js';
import type { IncomingMessage } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import type { Got, OptionsInit } from 'got';
import type { CallInput, CallResult, Download, Upload } from '../operations/operation.js';
import type { Operations } from '../operations/table.js';
import type { WireRequest } from './request.js';
import type { RetryOptions } from './retry.js';
import type { WireShape, WireShapes } from './wire-shape.js';

export interface ClientOptions {
  /** Operations that are known from the start. */
  readonly operations: WireShapes;
  /** Loads those of plugins; called once, at the first call of an operation that is not known. */
  readonly moreOperations?: () => Promise<WireShapes>;
  /** With or without `/api/v1`. */
  readonly endpointUrl: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  /** Sent as Bearer token instead of the access key. */
  readonly token?: string | (() => string | Promise<string>);
  readonly retries?: RetryOptions;
  readonly userAgent?: string;
  /** HTTP/2 where the server offers it over TLS. Default: false. */
  readonly http2?: boolean;
  /** Connections kept open per host. Default: 100. */
  readonly maxFreeSockets?: number;
  /** Such as which certificates are trusted. Default: those of the runtime. Not for `http2`. */
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Further request headers, such as the type of an upload and its metadata. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** False: a redirect is answered as it is. Default: true. */
  readonly followRedirect?: boolean;
}

export interface ApiResponse<T> {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly data: T;
}

type Call<O> =
  NoInput<CallInput<O>> extends true
    ? (input?: CallInput<O>, options?: CallOptions) => Promise<CallResult<O>>
    : (input: CallInput<O>, options?: CallOptions) => Promise<CallResult<O>>;
/** Whether nothing has to be passed. */
type NoInput<I> = Record<never, never> extends I ? true : false;

export type OperationId = Extract<keyof Operations, string>;
type Methods = { readonly [K in OperationId]: Call<Operations[K]> };

export interface Client extends Methods {
  /** Base URL of all requests. */
  readonly endpoint: URL;
  /** Like the method of that name, with status and headers of the answer. */
  call<K extends OperationId>(
    operationId: K,
    input: CallInput<Operations[K]>,
    options?: CallOptions,
  ): Promise<ApiResponse<CallResult<Operations[K]>>>;
  /** Closes idle connections. */
  close(): void;
}

/**
 * @throws SrvError `invalid` for an endpoint that is not a URL. Methods throw {@link ApiError} for a refusal, and SrvError
 * `unavailable` when the server cannot be reached or `cancelled` when the signal fires.
 * @example
 * const client = createClient({ operations, endpointUrl: 'http://127.0.0.1:8000', accessKeyId, secretAccessKey });
 * const { results } = await client.listBranches({ repository: 'lakes' });
 */
export function createClient({ operations, moreOperations, ...options }: ClientOptions): Client {
  const transport = new Transport(options);
  let more: Promise<WireShapes> | undefined;
  const find = async (operationId: string): Promise<WireShape> => {
    const known = operations[operationId];
    if (known) return known;
    more ??= moreOperations?.();
    const found = (await more)?.[operationId];
    if (found) return found;
    throw new SrvError('plugin', `no installed plugin describes the operation ${operationId}; install and enable the one that offers it`);
  };
  const call = async (operationId: string, input: object = {}, callOptions: CallOptions = {}) =>
    transport.send(await find(operationId), { ...input }, callOptions);
  const methodOf =
    (id: string) =>
    async (input?: object, callOptions?: CallOptions): Promise<unknown> =>
      (await call(id, input, callOptions)).data;
  const known: Record<string, unknown> = Object.fromEntries(Object.keys(operations).map(id => [id, methodOf(id)]));
  const client: object = Object.assign(known, { endpoint: transport.endpoint, call, close: () => transport.close() });
  // A client is not a promise, even if it is awaited.
  const later = (name: string | symbol): name is string => typeof name === 'string' && name !== 'then' && !(name in client);
  const open = new Proxy(client, { get: (_, name) => (later(name) ? methodOf(name) : Reflect.get(client, name)) });
  return (moreOperations ? open : client) as Client;
}

type TransportOptions = Omit<ClientOptions, 'operations' | 'moreOperations'>;

/** Result of one attempt. */
type Outcome =
  | { readonly answer: ApiResponse<unknown> }
  | { readonly error: Error; readonly again: boolean; readonly retryAfter?: string | undefined };

/** Options that both ways of calling got take. */
type Init = Omit<OptionsInit, 'isStream' | 'responseType' | 'resolveBodyOnly'>;

class Transport {
  readonly endpoint: URL;
  readonly #options: TransportOptions;
  readonly #retries: RetryPolicy;
  readonly #agents: Agents;

  constructor(options: TransportOptions) {
    this.endpoint = parseEndpoint(options.endpointUrl);
    this.#options = options;
    this.#retries = new RetryPolicy(options.retries);
    this.#agents = new Agents({ keepAlive: true, maxFreeSockets: options.maxFreeSockets ?? 100, ...options.tls });
  }

  close(): void {
    this.#agents.destroy();
  }

  async send(operation: WireShape, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ApiResponse<never>> {
    const request = buildRequest(this.endpoint, operation, input);
    const attempts = isRepeatable(request.body) ? this.#retries.maxAttempts : 1;
    try {
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#attempt(operation, request, options, attempt);
        if ('answer' in outcome) return outcome.answer as ApiResponse<never>;
        if (attempt >= attempts || !outcome.again) throw outcome.error;
        await this.#retries.wait(attempt, outcome.retryAfter, options.signal);
      }
    } catch (error) {
      if (options.signal?.aborted) throw new SrvError('cancelled', `${operation.operationId} was cancelled`, { cause: error });
      throw error;
    }
  }

  async #attempt(operation: WireShape, request: WireRequest, options: CallOptions, attempt: number): Promise<Outcome> {
    let answer: ApiResponse<unknown>;
    try {
      answer = await this.#sendOnce(operation, request, options);
    } catch (error) {
      const known = knownError(error);
      if (known) throw known;
      const code = codeOf(error);
      const tries = attempt === 1 ? '1 attempt' : `${attempt} attempts`;
      const remedy = isCertificateCode(code) ? `; ${certificateRemedy}` : '';
      const message = `cannot reach ${this.endpoint.origin}: ${code ?? messageOf(error)} (${operation.operationId}, ${tries})${remedy}`;
      return { error: new SrvError('unavailable', message, { cause: error }), again: this.#retries.retriesFailure(code) };
    }
    const { status, headers, data } = answer;
    const redirected = status >= 300 && status !== 304;
    if (status < 400 && (!redirected || options.followRedirect === false)) return { answer };
    const body = data instanceof Readable ? await readAll(data) : Buffer.from(data instanceof Uint8Array ? data : []);
    return {
      error: refusal(operation, request, answer, body.toString('utf8'), attempt),
      again: this.#retries.retriesStatus(status),
      retryAfter: headers['retry-after'],
    };
  }

  async #sendOnce(operation: WireShape, request: WireRequest, options: CallOptions): Promise<ApiResponse<unknown>> {
    const { kind } = operation.result;
    const given = typeof request.body === 'function' ? request.body() : request.body;
    // The runtime sends headers in the encoding of a text that follows them; bytes leave them alone.
    const body = typeof given === 'string' ? Buffer.from(given, 'utf8') : given;
    const headers = encodeHeaders({ ...(await this.#identity()), ...request.headers, ...options.headers });
    const overHttp2 = this.#options.http2 === true && request.url.protocol === 'https:';
    if (!overHttp2) {
      const { method } = operation;
      const { followRedirect = true, signal } = options;
      const response = await sendPlain(request.url, { method, headers, body, agents: this.#agents, followRedirect, signal });
      return answerOf(operation, response);
    }
    const init: Init = {
      method: operation.method,
      headers,
      agent: { http: this.#agents.http, https: this.#agents.https },
      http2: this.#options.http2 ?? false,
      throwHttpErrors: false,
      // Repeating is decided here: it depends on the body and on what the server says.
      retry: { limit: 0 },
      followRedirect: options.followRedirect ?? true,
      decompress: false,
      signal: options.signal,
      ...(body === undefined ? {} : { body }),
    };
    const { default: got } = await import('got');
    if (kind === 'bytes' && operation.method !== 'HEAD') return download(got, request.url, init);
    const response = await got(request.url, { ...init, responseType: 'buffer' });
    return decoded(kind, response.body, response.statusCode, plainHeaders(response.headers));
  }

  async #identity(): Promise<Record<string, string>> {
    const { token, accessKeyId, secretAccessKey, userAgent = 'srv-client' } = this.#options;
    const identity = { 'user-agent': userAgent, 'x-lakefs-client': userAgent, accept: '*/*' };
    if (token !== undefined) return { ...identity, authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
    if (accessKeyId === undefined) return identity;
    return { ...identity, authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey ?? ''}`, 'utf8').toString('base64')}` };
  }
}

/** Resolves with the headers; the caller reads the body. */
async function download(got: Got, url: URL, init: Init): Promise<ApiResponse<unknown>> {
  const stream = got.stream(url, init);
  const response = await new Promise<{ statusCode: number; headers: Record<string, string | string[] | undefined> }>((resolve, reject) => {
    stream.once('response', resolve).once('error', reject);
  });
  const headers = plainHeaders(response.headers);
  const body = new Readable().wrap(stream);
  // After the headers, errors go to the reader of the body.
  stream.on('error', error => body.destroy(error));
  body.once('close', () => stream.destroy());
  const found: Download = { status: response.statusCode, headers, body };
  return { status: response.statusCode, headers, data: response.statusCode >= 400 ? body : found };
}

async function answerOf({ method, result: { kind } }: WireShape, response: IncomingMessage): Promise<ApiResponse<unknown>> {
  const { statusCode: status = 0 } = response;
  const headers = plainHeaders(response.headers);
  if (kind !== 'bytes' || method === 'HEAD') return decoded(kind, await readAll(response), status, headers);
  const found: Download = { status, headers, body: response };
  return { status, headers, data: status >= 400 ? response : found };
}

function decoded(
  kind: WireShape['result']['kind'],
  body: Uint8Array,
  status: number,
  headers: Readonly<Record<string, string>>,
): ApiResponse<unknown> {
  return { status, headers, data: status >= 400 ? body : decode(kind, body, status, headers) };
}

function decode(kind: WireShape['result']['kind'], body: Uint8Array, status: number, headers: Readonly<Record<string, string>>): unknown {
  if (kind === 'bytes') return { status, headers, body: Readable.from([]) } satisfies Download;
  if (kind === 'empty') return undefined;
  const text = Buffer.from(body).toString('utf8');
  if (kind === 'text') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SrvError('unavailable', `bad response from server: status ${status} and a body that is not JSON`, { cause: error });
  }
}

function refusal(
  operation: WireShape,
  { url }: WireRequest,
  { status, headers }: ApiResponse<unknown>,
  text: string,
  attempts: number,
): ApiError {
  const body = parseJson(text);
  const said = typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string' ? body.message : '';
  const statusText = STATUS_CODES[status] ?? `status ${status}`;
  const requestId = headers['x-request-id'];
  return new ApiError({
    status,
    statusText,
    message: said || statusText,
    operationId: operation.operationId,
    method: operation.method,
    url: url.href,
    body,
    attempts,
    requestId,
  });
}

/** Streams can be sent once only. */
function isRepeatable(body: Upload | undefined): boolean {
  return !(body instanceof Readable);
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error that says already what is wrong, such as that of a body that cannot be read: not one of the connection, and final. */
function knownError(error: unknown): SrvError | undefined {
  // Over HTTP/2, what a body fails with is a cause.
  return [error, error instanceof Error ? error.cause : undefined].find(reason => isSrvError(reason));
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function plainHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
