/** 3,000 made-up credentials at a whole server: no failure, no login, and no secret in its log. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { definePlugin } from '@srv/kernel';
import { startSrv } from '@srv/test-servers';
import fc from 'fast-check';
import { hasFeature } from './feature-operations.js';
import type { Logger } from '@srv/kernel';

const seed = process.env['SRV_TEST_SEED'] === undefined ? randomBytes(4).readInt32BE() : Number(process.env['SRV_TEST_SEED']);
const secretKey = 'another secret for tests';
const plugins = ['gateway-s3', 'auth-claims', 'auth-principals', 'auth-remote', 'email'].filter(hasFeature);

interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Of the service whose plugin these tests do not depend on. */
interface Users {
  listUsers(): Promise<{ readonly results: readonly { readonly username: string }[] }>;
}

const later = Math.floor(Date.now() / 1000) + 3600;

/** A web token under any key; with the right one its claims never make a login. */
function webToken(header: unknown, claims: unknown, key: string): string {
  const encode = (part: unknown): string => Buffer.from(JSON.stringify(part) ?? '').toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

const json = fc.jsonValue({ maxDepth: 2 });
/** Header values that HTTP carries. */
const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019._-=+/:,;% "\\'), maxLength: 40 });
const audiences = ['login', 'auth-client', 'reset_password', 'invite_user', 'oidc_auth_session', 'saml_auth_session', 'oidc_login', ''];
const token = fc.oneof(
  word,
  fc
    .tuple(
      fc.constantFrom('HS256', 'none', 'RS256'),
      fc.constantFrom(...audiences),
      fc.constantFrom('admin', '', '_lakefs-internal', 'x'),
      json,
    )
    .map(([alg, aud, sub, more]) => webToken({ alg }, { aud, sub, exp: later, id_token_claims: more, saml_token_claims: more }, 'a guess')),
  fc
    .tuple(fc.constantFrom('auth-client', 'reset_password', 'invite_user', 'oidc_login'), json)
    .map(([aud, more]) => webToken({ alg: 'HS256' }, { aud, sub: 'admin', exp: later, id_token_claims: more }, secretKey)),
  json.map(claims => webToken({ alg: 'HS256' }, { aud: ['login'], sub: 'admin', exp: later, claims }, secretKey)),
  fc.constantFrom(webToken({ alg: 'HS256' }, { sub: 'admin', exp: 1 }, secretKey), webToken({ alg: 'HS256' }, { sub: 'admin' }, secretKey)),
);
const cookie = fc
  .tuple(fc.constantFrom('access_token', 'oidc_auth_session', 'saml_auth_session', 'oidc_login', 'other'), token)
  .map(([name, value]) => `${name}=${value}`);
const basic = fc
  .tuple(fc.constantFrom('AKIAIOSFODNN7EXAMPLE', 'AKIAJXXXXXXXXXXXXXXQ'), fc.string({ maxLength: 50 }))
  .map(pair => `Basic ${Buffer.from(pair.join(':')).toString('base64')}`);
const authorization = fc.oneof(
  token.map(text => `Bearer ${text}`),
  basic,
  word,
  word.map(
    text => `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${text}`,
  ),
);
const post = (path: string, body: fc.Arbitrary<unknown>): fc.Arbitrary<Attempt> =>
  body.map(value => ({ method: 'POST', path: `/api/v1${path}`, headers: { 'content-type': 'application/json' }, body: value }));
const fields = (names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.record(Object.fromEntries(names.map(name => [name, fc.oneof(word, token, json)])), { requiredKeys: [] }), json);

const attempt: fc.Arbitrary<Attempt> = fc.oneof(
  { weight: 4, arbitrary: authorization.map(value => ({ method: 'GET', path: '/api/v1/auth/users', headers: { authorization: value } })) },
  { weight: 4, arbitrary: cookie.map(value => ({ method: 'GET', path: '/api/v1/auth/users', headers: { cookie: value } })) },
  {
    weight: 1,
    arbitrary: authorization.map(value => ({ method: 'GET', path: '/some-bucket?list-type=2', headers: { authorization: value } })),
  },
  { weight: 1, arbitrary: post('/auth/password', fields(['token', 'new_password', 'email'])) },
  { weight: 1, arbitrary: post('/auth/password/forgot', fields(['email'])) },
  { weight: 1, arbitrary: post('/auth/external/principal/login', fields(['identityRequest', 'token_expiration_duration'])) },
  { weight: 1, arbitrary: post('/sts/login', fields(['code', 'state', 'redirect_uri', 'ttl_seconds'])) },
);

test(`made-up credentials neither log in nor break anything (SRV_TEST_SEED=${seed})`, async t => {
  const lines: string[] = [];
  const logger = (fixed: object): Logger => {
    const write = (given: object, message: string): void => void lines.push(JSON.stringify({ ...fixed, ...given, message }));
    return { trace: write, debug: write, info: write, warn: write, error: write, child: more => logger({ ...fixed, ...more }) } as Logger;
  };
  const recorder = definePlugin({
    name: 'recorder',
    apply: ({ hooks, services }) => hooks.configured.tapPromise('recorder', async () => services.provide('log', logger({}))),
  });
  const config = {
    'auth.ui_config.rbac': 'internal',
    'auth.cookie_auth_verification.external_user_id_claim_name': 'uid',
    'auth.authentication_api.external_principals_enabled': true,
    'auth.aws_iam.server_ids': 'here.example',
  };
  const used = Object.fromEntries(
    Object.entries(config)
      .filter(([key]) => !key.startsWith('auth.cookie') || plugins.includes('auth-claims'))
      .filter(([key]) => !/authentication_api|aws_iam/.test(key) || plugins.includes('auth-principals')),
  );
  const srv = await startSrv({ plugins, inline: [{ plugin: recorder }], config: used });
  t.after(() => srv.stop());
  const attempts = fc.sample(attempt, { seed, numRuns: 3_000 });
  const run = async ({ method, path, headers, body }: Attempt): Promise<void> => {
    const init = { method, headers, redirect: 'manual' as const, ...(body === undefined ? {} : { body: JSON.stringify(body) ?? '' }) };
    const response = await fetch(`${srv.url}${path}`, init);
    const text = await response.text();
    const shown = `${JSON.stringify({ method, path, headers, body })}: ${response.status} ${text}`;
    assert.ok(response.status >= 400 || path.endsWith('/forgot'), shown);
    assert.ok(response.status < 500 || response.status === 501, shown);
    assert.equal(text.includes(srv.key.secretAccessKey) || text.includes(secretKey), false, shown);
  };
  for (let at = 0; at < attempts.length; at += 20) await Promise.all(attempts.slice(at, at + 20).map(run));
  assert.ok(lines.length > attempts.length, 'the log was written');
  const secrets = [srv.key.secretAccessKey, secretKey, 'a secret for tests'];
  for (const secret of secrets)
    assert.deepEqual(
      lines.filter(line => line.includes(secret)),
      [],
    );
  const auth = (srv.kernel.services as { get(name: string): unknown }).get('auth') as Users;
  const users = await auth.listUsers();
  assert.deepEqual(
    users.results.map(({ username }) => username),
    ['admin'],
  );
});
