/** Tokens for one purpose, such as the link in an invitation: each purpose is an audience, and no token serves another. */
import { randomBytes } from 'node:crypto';
import { seconds, signClaims, verifyClaims } from './token.js';

export interface PurposeToken {
  /** What the token is good for. */
  readonly audience: string;
  /** Whom it is about. */
  readonly subject: string;
  /** Names this token, so that it can be used up. */
  readonly id: string;
  readonly expiresAt: Date;
}

export function signPurposeToken({ audience, subject, id, expiresAt }: PurposeToken, secretKey: string, now: Date): string {
  return signClaims({ jti: id, sub: subject, aud: audience, iat: seconds(now), exp: seconds(expiresAt) }, secretKey);
}

/** `undefined` for tokens that are expired, forged, or made for another purpose. */
export function verifyPurposeToken(token: string, audience: string, secretKey: string, now: Date): PurposeToken | undefined {
  const { aud, sub, jti, exp } = verifyClaims(token, secretKey, now) ?? {};
  if (aud !== audience || typeof sub !== 'string' || sub === '' || typeof jti !== 'string' || jti === '') return undefined;
  return { audience, subject: sub, id: jti, expiresAt: new Date(Number(exp) * 1000) };
}

/** Tokens under one key, each with an ID of its own. */
export function purposeTokens(secretKey: string) {
  return {
    /** @param validity milliseconds. */
    issuePurposeToken(audience: string, subject: string, validity: number): string {
      const now = new Date();
      // In the order of time, so that what has expired lies together.
      const id = `${now.getTime().toString(36).padStart(9, '0')}${randomBytes(12).toString('hex')}`;
      return signPurposeToken({ audience, subject, id, expiresAt: new Date(now.getTime() + validity) }, secretKey, now);
    },
    readPurposeToken: (audience: string, token: string) => verifyPurposeToken(token, audience, secretKey, new Date()),
  };
}
