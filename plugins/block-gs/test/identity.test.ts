/** Services of tokens that do not answer, or fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { Api } from '../src/server/client.js';
import { CredentialsFailure, RequestFailure, toSrvError } from '../src/server/errors.js';
import { identityCall } from '../src/server/identity-calls.js';
import { UrlSigner } from '../src/server/sign.js';
import type { Storage } from '@google-cloud/storage';

const never = new Promise<never>(() => undefined);

/** A client library whose tokens come from `headers`. */
const library = (headers: () => Promise<Record<string, string>>): Storage =>
  ({
    apiEndpoint: 'http://127.0.0.1:9',
    authClient: { getClient: async () => ({ getRequestHeaders: headers }) },
    bucket: () => ({ file: () => ({ getSignedUrl: () => never }) }),
  }) as unknown as Storage;

test('a request waits for a token no longer than for its answer, and not when it is cancelled', async () => {
  const hanging = library(() => never);
  const ask = (timeout: number, signal?: AbortSignal) => new Api(hanging, { timeout }).json({ path: '/storage/v1/b/x', signal });
  const late = await ask(20).catch((error: unknown) => error);
  assert.ok(late instanceof RequestFailure);
  assert.ok(isSrvError(toSrvError(late, 'gs://b/x', 'here'), 'unavailable'));
  await assert.rejects(ask(60_000, AbortSignal.timeout(20)), { code: 'cancelled' });
  await assert.rejects(new UrlSigner(hanging, 20).sign({ bucket: 'b', key: 'k' }, { mode: 'read', expiresIn: 1000 }), late);
});

test('a token that may be had in a moment is asked for again', async () => {
  let asked = 0;
  const failing = library(async () => {
    asked++;
    throw Object.assign(new Error('getaddrinfo ENOTFOUND oauth2.example'), { code: 'ENOTFOUND' });
  });
  const api = new Api(failing, { retry: { tries: 3, delay: 1 } });
  const error = await api.json({ path: '/storage/v1/b/x' }).catch((error: unknown) => error);
  assert.equal(asked, 3);
  assert.match(toSrvError(error, 'gs://b/x', 'here').message, /cannot be reached.*ENOTFOUND/);
});

test('failures that stay are those of the credentials', async () => {
  const failure = (error: object) =>
    identityCall(Promise.reject(Object.assign(new Error('no'), error)), 1000).catch((error: unknown) => error);
  for (const passing of [{ code: 'ECONNRESET' }, { status: 503 }, { code: 'ERR_BAD_RESPONSE', response: { status: 429 } }])
    assert.ok((await failure(passing)) instanceof RequestFailure, JSON.stringify(passing));
  for (const staying of [{}, { code: 'ENOENT' }, { status: 401 }, { code: '400', response: { status: 400 } }])
    assert.ok((await failure(staying)) instanceof CredentialsFailure, JSON.stringify(staying));
});
