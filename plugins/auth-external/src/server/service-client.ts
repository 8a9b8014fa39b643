/** Calls of the authorization service: one request each, and what its answers mean here. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { currentRequest, readText } from '@srv/lib-api/http';
import { readWire, wirePage } from '@srv/lib-auth/authorization';
import type { WirePage } from '@srv/lib-auth/authorization';
import type Joi from 'joi';

interface ServiceClientOptions {
  /** Paths are appended to it. */
  readonly endpoint: string;
  readonly token: string;
  /** Milliseconds for one call. */
  readonly timeout: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parts of the path, not encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: object;
  /** Status of success. */
  readonly expect: number;
  /** Says what is missing when the answer is 404, such as `user not found`. */
  readonly missing?: string;
}

/** Bytes of an answer: a page of a thousand policies is far below. */
const largestAnswer = 16 * 1024 * 1024;
const pageSize = 1000;
/** Pages of one list: the service says how many there are, and must not keep us forever. */
const mostPages = 1000;

export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #base: string;
  readonly #closing = new AbortController();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#base = options.endpoint.replace(/(?<!\/)\/+$/, '');
  }

  /**
   * @returns the JSON of the answer, unchecked; `undefined` without any.
   * @throws SrvError `not_found`, `invalid`, `not_unique` as the service says; `internal` for everything else, since
   * callers of this server cannot fix it.
   */
  async send({ method, path, query = {}, body, expect, missing = 'not found' }: Call): Promise<unknown> {
    const url = new URL(`${this.#base}/${path.map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const where = `authorization service: ${method} ${url.pathname}`;
    const headers = {
      authorization: `Bearer ${this.#options.token}`,
      'x-request-id': currentRequest()?.requestId ?? randomUUID(),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const signal = AbortSignal.any([AbortSignal.timeout(this.#options.timeout), this.#closing.signal]);
    let status: number;
    let text: string;
    try {
      // A redirect would take the token elsewhere.
      const response = await fetch(url, { method, headers, signal, redirect: 'manual', ...(body ? { body: JSON.stringify(body) } : {}) });
      status = response.status;
      text = await readText(response, largestAnswer);
    } catch (error) {
      throw new SrvError('internal', `${where}: ${reasonOf(error)}`, { cause: error });
    }
    if (status === expect) return text === '' ? undefined : parse(text, where);
    if (status === 404) throw new SrvError('not_found', missing);
    if (status === 400) throw new SrvError('invalid', said(text) ?? 'the authorization service rejected the request');
    if (status === 409) throw new SrvError('not_unique', 'Already exists');
    if (status === 501) throw new SrvError('unsupported', 'Not Implemented');
    const refused = status === 401 || status === 403 ? '; check auth.api.token, or that both servers share auth.encrypt.secret_key' : '';
    throw new SrvError('internal', `${where}: status ${status}${refused}`);
  }

  /** As {@link send}, with an answer of a known shape. */
  async read<T>(schema: Joi.ObjectSchema<T>, call: Call): Promise<T> {
    const answer = await this.send(call);
    try {
      return readWire(schema, answer, `authorization service: answer to ${call.method} /${call.path.join('/')}`);
    } catch (error) {
      throw isSrvError(error) ? new SrvError('internal', error.message, { cause: error }) : error;
    }
  }

  /** As {@link send}, `undefined` for what does not exist. */
  async find<T>(schema: Joi.ObjectSchema<T>, call: Call): Promise<T | undefined> {
    try {
      return await this.read(schema, call);
    } catch (error) {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    }
  }

  /** Everything a list holds. A page may be empty, and more may follow it. */
  async all<T>(item: Joi.ObjectSchema<T>, call: Omit<Call, 'method' | 'expect'>): Promise<T[]> {
    const found: T[] = [];
    let after = '';
    for (let page = 0; page < mostPages; page++) {
      const query = { ...call.query, amount: pageSize, after };
      const { results, pagination }: WirePage<T> = await this.read(wirePage(item), { ...call, method: 'GET', expect: 200, query });
      found.push(...results);
      if (!pagination.has_more) return found;
      if (pagination.next_offset === '' || pagination.next_offset === after) break;
      after = pagination.next_offset;
    }
    throw new SrvError('internal', `authorization service: the list /${call.path.join('/')} has no end`);
  }

  /** Waits until the service is well. @param timeout milliseconds. @throws SrvError `unavailable` with the last reason. */
  async untilHealthy(timeout: number): Promise<void> {
    const end = Date.now() + timeout;
    for (let pause = 1000; ; pause = Math.min(5000, pause * 2)) {
      try {
        await this.send({ method: 'GET', path: ['healthcheck'], expect: 204 });
        return;
      } catch (error) {
        const left = end - Date.now();
        if (left <= 0)
          throw new SrvError(
            'unavailable',
            `auth.api.endpoint: the authorization service at ${this.#base} is not well: ${messageOf(error)}`,
            { cause: error },
          );
        await sleep(Math.min(pause, left), undefined, { signal: this.#closing.signal });
      }
    }
  }

  close(): void {
    this.#closing.abort(new SrvError('closed', 'the server is shutting down'));
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SrvError('internal', `${where}: the answer is not JSON`, { cause: error });
  }
}

/** The service's own sentence about a refused request. */
function said(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message.slice(0, 500) : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
  return code ?? (cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`);
}
