/** Tokens of an identity provider, verified against the keys that it publishes. */
import { SrvError, messageOf } from '@srv/kernel';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { AuthService } from '@srv/auth/contract';
import type { Logger } from '@srv/kernel';
import type { ClaimedUsers } from '@srv/lib-auth/claims';
import type { JwtLogin } from '../contract.js';

interface JwtLoginParts {
  readonly jwksUrl: string;
  readonly issuer: string;
  /** What tokens for this server name as `aud`. */
  readonly audience: string;
  /** Milliseconds: longest wait for the keys. */
  readonly timeout: number;
  readonly users: ClaimedUsers;
  readonly auth: AuthService;
  readonly syncGroups: boolean;
  readonly log: Logger;
}

/** Signatures with a pair of keys: a published key must not serve as a secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Seconds by which clocks may differ. */
const clockTolerance = 30;

export function createJwtLogin({ jwksUrl, issuer, audience, timeout, users, auth, syncGroups, log }: JwtLoginParts): JwtLogin {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: timeout });
  return {
    async logIn(token) {
      const claims = await verified(token);
      const { username } = await users.userOf(claims);
      if (syncGroups) await users.syncGroups(username, claims);
      // The session does not outlast the token.
      const issued = await auth.issueToken(username, Math.max(1000, Number(claims['exp']) * 1000 - Date.now()));
      log.info({ user: username }, 'user logged in by a token of the identity provider');
      return issued;
    },
  };

  async function verified(token: string): Promise<Readonly<Record<string, unknown>>> {
    try {
      const required = ['exp', 'sub'];
      return (await jwtVerify(token, keys, { issuer, audience, algorithms, clockTolerance, requiredClaims: required })).payload;
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'login by a token of the identity provider failed');
      if (isOfProvider(error))
        throw new SrvError('unavailable', `the keys of the identity provider at ${jwksUrl} cannot be read now`, { cause: error });
      throw new SrvError('unauthenticated', 'error authenticating request', { cause: error });
    }
  }
}

/** Codes of failures that are not the token's. */
const providerFailures = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

function isOfProvider(error: unknown): boolean {
  return !(error instanceof errors.JOSEError) || providerFailures.includes(error.code);
}
