/** A server that accepts tokens of an identity provider, and the provider. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startSrv } from '@srv/test-servers';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';

export const [issuer, audience] = ['https://id.example', 'srv.example'];

export async function open(t: TestContext) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const provider = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  t.after(() => provider.close());
  const { port } = provider.address() as AddressInfo;
  const { url, kernel, stop } = await startSrv({
    plugins: ['auth-claims'],
    config: {
      'auth.ui_config.rbac': 'internal',
      'auth.jwt.jwks_url': `http://127.0.0.1:${port}/keys`,
      'auth.jwt.issuer': issuer,
      'auth.jwt.audience': audience,
      'auth.oidc.initial_groups_claim_name': 'groups',
    },
  });
  t.after(stop);
  const logIn = async (token: unknown) => {
    const response = await fetch(`${url}/api/v1/auth/jwt/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    return { status: response.status, body: (await response.json()) as { token?: string; token_expiration?: number } };
  };
  return { url, kernel, privateKey, jwk, logIn, provider };
}

export const claims = (sub: string, more: object = {}) =>
  new SignJWT({ groups: ['Viewers'], ...more })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setSubject(sub)
    .setIssuer(issuer)
    .setAudience(audience);
