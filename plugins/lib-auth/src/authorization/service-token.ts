/** The token a server shows an authorization service that shares its `auth.encrypt.secret_key`. */
import { randomUUID } from 'node:crypto';
import { signClaims, verifyClaims } from '../index.js';

const audience = 'auth-client';
const subject = '_lakefs-internal';
const tenYears = 10 * 365 * 24 * 3600;

export function mintServiceToken(secretKey: string, now = new Date()): string {
  const iat = Math.floor(now.getTime() / 1000);
  // The audience is a list, which no login accepts.
  return signClaims({ jti: randomUUID(), aud: [audience], sub: subject, iat, exp: iat + tenYears }, secretKey);
}

/** Other tokens under the same key, such as those of users, are for other purposes. */
export function isServiceToken(token: string, secretKey: string, now = new Date()): boolean {
  const { aud, sub } = verifyClaims(token, secretKey, now) ?? {};
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  return audiences.includes(audience) && sub === subject;
}
