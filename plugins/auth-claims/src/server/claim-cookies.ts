/** Sessions as claims in a cookie, written by a login helper that shares `auth.encrypt.secret_key`. */
import { SrvError } from '@srv/kernel';
import { verifyClaims } from '@srv/lib-auth';
import { readCookie } from '@srv/lib-auth/claims';
import type { Claims } from '@srv/lib-auth/claims';

export interface ClaimCookie {
  readonly name: string;
  /** Member of the cookie that holds the claims. */
  readonly member: string;
}

/** Of an OpenID provider. */
export const oidcCookie: ClaimCookie = { name: 'oidc_auth_session', member: 'id_token_claims' };
/** Of any other one. */
export const samlCookie: ClaimCookie = { name: 'saml_auth_session', member: 'saml_token_claims' };

interface CookieClaims {
  readonly claims: Claims;
  /** End of the session. */
  readonly endsAt: Date;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Claims in the cookie: a JSON web token under the secret key, with `aud` the name of the cookie and `exp`. `undefined`
 * without the cookie.
 * @throws SrvError `unauthenticated` for a cookie that was tampered with or has expired.
 */
export function readClaims(headers: Headers, { name, member }: ClaimCookie, secretKey: string): CookieClaims | undefined {
  const value = readCookie(headers, name);
  if (value === undefined || value === '') return undefined;
  const { aud, exp, [member]: claims } = verifyClaims(value, secretKey, new Date()) ?? {};
  if (aud !== name || typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw new SrvError('unauthenticated', 'error authenticating request');
  return { claims: claims as Claims, endsAt: new Date(Number(exp) * 1000) };
}
