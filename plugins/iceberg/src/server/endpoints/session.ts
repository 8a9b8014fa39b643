/** What clients ask first: the configuration, and a token. */
import { SrvError, isSrvError } from '@srv/kernel';
import { authorizationCredentials } from '@srv/lib-api/http';
import { json } from '../answers.js';
import { CatalogError } from '../errors.js';
import { keyLifetime } from '../idempotency.js';
import { catalogNames, scopeOf } from '../names.js';
import type { Engine } from '@srv/engine/contract';
import type { HttpResponse } from '@srv/http/contract';
import type { CatalogCall, PublicEndpoint, UserEndpoint } from '../endpoint.js';

/** @param offered `<method> <path>` of every endpoint. */
export function getConfig(offered: readonly string[]): UserEndpoint {
  return {
    name: 'getConfig',
    method: 'GET',
    path: '/config',
    async handle({ engine, query }) {
      await demandWarehouse(engine, query.get('warehouse') ?? '');
      return json({ defaults: {}, overrides: { prefix: 'srv' }, endpoints: offered, 'idempotency-key-lifetime': keyLifetime });
    },
  };
}

/**
 * @param warehouse `<repository>` or `<repository>.<ref>`; empty, or a name of the whole catalog: all of them.
 * @throws CatalogError 404.
 */
async function demandWarehouse(engine: Engine, warehouse: string): Promise<void> {
  if (warehouse === '' || catalogNames.has(warehouse)) return;
  const { repository = '', ref } = warehouse.includes('.') ? scopeOf(warehouse) : { repository: warehouse };
  try {
    const found = await engine.getRepository(repository);
    if (ref !== undefined) await engine.getCommit(found, ref);
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'invalid', 'gone')) throw error;
    const reason = `there is no warehouse ${warehouse}: name a repository, or <repository>.<branch or other ref>, or leave it out`;
    throw new CatalogError(404, 'NoSuchWarehouseException', reason, { cause: error });
  }
}

const refusedToken = (status: number, error: string, description: string): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ error, error_description: description }),
});

/** OAuth 2 with client credentials, which are an access key; any scope will do. */
export const getToken: PublicEndpoint = {
  access: 'public',
  name: 'getToken',
  method: 'POST',
  path: '/oauth/tokens',
  async handle(call) {
    const form = new URLSearchParams(await call.text());
    if (form.get('grant_type') !== 'client_credentials')
      return refusedToken(
        400,
        'unsupported_grant_type',
        'use grant_type=client_credentials, with an access key as client_id and client_secret',
      );
    const key = keyOf(call, form);
    if (!key) return refusedToken(400, 'invalid_request', 'client_id and client_secret are missing: an access key and its secret');
    const { identity, tokenDuration } = call;
    try {
      if (!identity.logIn) throw new SrvError('unsupported', 'Not Implemented: users of this server do not log in with access keys');
      const { token, expiresAt } = await identity.logIn(key, key.from, tokenDuration);
      return json({
        access_token: token,
        token_type: 'bearer',
        expires_in: Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000)),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      });
    } catch (error) {
      if (!isSrvError(error, 'unauthenticated')) throw error;
      return refusedToken(401, 'invalid_client', 'the access key or its secret is wrong');
    }
  },
};

/** In the form, or in the header. */
function keyOf(call: CatalogCall, form: URLSearchParams) {
  const from = (): string => call.from;
  const { authorization } = call.headers;
  const basic = authorizationCredentials(typeof authorization === 'string' ? authorization : '', from);
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (id && secret) return { accessKeyId: id, secretAccessKey: secret, from: call.from };
  return basic?.kind === 'basic' ? { ...basic, from: call.from } : undefined;
}
