/** Logins with tokens of an identity provider, whose keys a server of the test publishes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { SignJWT, generateKeyPair } from 'jose';
import { audience, claims, issuer, open } from './support/jwt-provider.js';
import type {} from '@srv/auth/contract';

it('a token of the provider becomes a session that does not outlast it', async t => {
  const { url, kernel, privateKey, logIn } = await open(t);
  const { status, body } = await logIn(await claims('ann').setExpirationTime('10m').sign(privateKey));
  assert.equal(status, 200);
  assert.ok((body.token_expiration ?? 0) <= Date.now() / 1000 + 601);
  const renewal = await fetch(`${url}/api/v1/auth/renew_token`, { method: 'POST', headers: { authorization: `Bearer ${body.token}` } });
  assert.equal(((await renewal.json()) as { token_expiration: number }).token_expiration, body.token_expiration);
  const me = await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${body.token}` } });
  assert.equal(((await me.json()) as { user: { id: string } }).user.id, 'ann');
  const groups = await kernel.services.get('auth').listUserGroups('ann');
  assert.deepEqual(
    groups.results.map(({ id }) => id),
    ['Viewers'],
  );
});

it('tokens by others, for others, expired, unsigned or signed with a published key as a secret are refused', async t => {
  const { privateKey, jwk, logIn } = await open(t);
  const { privateKey: foreign } = await generateKeyPair('RS256');
  const secret = new TextEncoder().encode(JSON.stringify(jwk));
  const good = await claims('ann').setExpirationTime('10m').sign(privateKey);
  const [header = '', payload = ''] = good.split('.');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  const tokens = {
    'another key': await claims('ann').setExpirationTime('10m').sign(foreign),
    expired: await claims('ann').setExpirationTime('-10m').sign(privateKey),
    'no end': await claims('ann').sign(privateKey),
    'no subject': await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime('10m')
      .sign(privateKey),
    'another service': await claims('ann').setAudience('other.example').setExpirationTime('10m').sign(privateKey),
    'another issuer': await claims('ann').setIssuer('https://other.example').setExpirationTime('10m').sign(privateKey),
    'a secret': await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setSubject('ann')
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime('10m')
      .sign(secret),
    unsigned: none,
    changed: `${header}.${payload.slice(0, -2)}AA.${good.split('.')[2] ?? ''}`,
    text: 'x.y.z',
  };
  for (const [kind, token] of Object.entries(tokens)) assert.equal((await logIn(token)).status, 401, kind);
  assert.equal((await logIn('')).status, 400);
  assert.equal((await logIn('x'.repeat(40_000))).status, 400);
  assert.equal((await logIn(good)).status, 200);
});

it('a provider that is gone is not an error of the token, and without one there is no such login', async t => {
  const { privateKey, logIn, provider } = await open(t);
  provider.closeAllConnections();
  await new Promise(resolve => provider.close(resolve));
  assert.equal((await logIn(await claims('ann').setExpirationTime('10m').sign(privateKey))).status, 503);
  const { url, stop } = await startSrv({ plugins: ['auth-claims'] });
  t.after(stop);
  const response = await fetch(`${url}/api/v1/auth/jwt/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"token":"x"}',
  });
  assert.equal(response.status, 501);
});
