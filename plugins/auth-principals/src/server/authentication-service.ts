/** The external authentication service. */
import { randomUUID } from 'node:crypto';
import { SrvError, messageOf } from '@srv/kernel';
import { currentRequest } from '@srv/lib-api/http';
import Joi from 'joi';
import { readText } from './read-text.js';
import type { PrincipalVerifier, StsExchange } from '../contract.js';

const identity = Joi.object<{ id: string }>({ id: Joi.string().required() }).unknown(true).required();
const exchanged = Joi.object<{ claims: Record<string, unknown> }>({ claims: Joi.object().unknown(true).required() })
  .unknown(true)
  .required();

/** What its statuses mean to the caller; others are faults. */
type Refusals = Readonly<Record<number, () => SrvError>>;
const badRequest = () => new SrvError('invalid', 'the authentication service rejected the request');

export class AuthenticationService implements PrincipalVerifier, StsExchange {
  readonly #base: string;
  readonly #timeout: number;

  /** @param timeout milliseconds. */
  constructor(endpoint: string, timeout: number) {
    this.#base = endpoint.replace(/(?<!\/)\/+$/, '');
    this.#timeout = timeout;
  }

  async verify(request: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const { id } = await this.#post('/auth/external/principal/login', request, identity, {
      400: badRequest,
      401: () => new SrvError('unauthenticated', 'invalid token format'),
      403: () => new SrvError('forbidden', 'session expired'),
    });
    return [id];
  }

  async exchange(request: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#post('/sts/login', request, exchanged, {
      400: badRequest,
      401: () => new SrvError('unauthenticated', 'Unauthorized'),
    });
    return answer.claims;
  }

  async #post<T>(path: string, body: object, schema: Joi.ObjectSchema<T>, refusals: Refusals): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-request-id': currentRequest()?.requestId ?? randomUUID() };
    const signal = AbortSignal.timeout(this.#timeout);
    let refusal: (() => SrvError) | undefined;
    try {
      const response = await fetch(`${this.#base}${path}`, {
        method: 'POST',
        headers,
        signal,
        redirect: 'manual',
        body: JSON.stringify(body),
      });
      const text = await readText(response);
      refusal = refusals[response.status];
      if (!refusal) {
        if (response.status !== 200) throw new Error(`status ${response.status}`);
        const { error, value } = schema.validate(JSON.parse(text), { convert: false });
        if (error) throw error;
        return value as T;
      }
    } catch (error) {
      throw new SrvError('internal', `auth.authentication_api.endpoint: POST ${path}: ${messageOf(error)}`, { cause: error });
    }
    throw refusal();
  }
}
