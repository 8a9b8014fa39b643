/** Tokens for one purpose, such as the link in an invitation: each purpose is an audience, and no token serves another. */
import { createHmac, randomBytes } from 'node:crypto';
import { seconds, signClaims, verifyClaims } from './token.js';

export interface PurposeToken {
  /** What the token is good for. */
  readonly audience: string;
  /** Whom it is about. */
  readonly subject: string;
  /** Names this token, so that it can be used up. */
  readonly id: string;
  readonly expiresAt: Date;
  /** Keyed digest of what the token depends on; absent: nothing, as in tokens of earlier versions. */
  readonly state?: string | undefined;
}

export function signPurposeToken({ audience, subject, id, expiresAt, state }: PurposeToken, secretKey: string, now: Date): string {
  return signClaims({ jti: id, sub: subject, aud: audience, iat: seconds(now), exp: seconds(expiresAt), state }, secretKey);
}

/** `undefined` for tokens that are expired, forged, or made for another purpose. */
export function verifyPurposeToken(token: string, audience: string, secretKey: string, now: Date): PurposeToken | undefined {
  const { aud, sub, jti, exp, state } = verifyClaims(token, secretKey, now) ?? {};
  if (aud !== audience || typeof sub !== 'string' || sub === '' || typeof jti !== 'string' || jti === '') return undefined;
  return { audience, subject: sub, id: jti, expiresAt: new Date(Number(exp) * 1000), ...(typeof state === 'string' ? { state } : {}) };
}

/** Tokens under one key, each with an ID of its own. */
export function purposeTokens(secretKey: string) {
  // Who has a token learns nothing of the state from it.
  const digest = (state: string): string =>
    createHmac('sha256', secretKey).update(`state of a purpose token\0${state}`).digest('base64url');
  return {
    /** @param validity milliseconds. @param state what the token depends on: it is of no other state. */
    issuePurposeToken(audience: string, subject: string, validity: number, state?: string): string {
      const now = new Date();
      // In the order of time, so that what has expired lies together.
      const id = `${now.getTime().toString(36).padStart(9, '0')}${randomBytes(12).toString('hex')}`;
      return signPurposeToken(
        { audience, subject, id, expiresAt: new Date(now.getTime() + validity), state: state === undefined ? undefined : digest(state) },
        secretKey,
        now,
      );
    },
    readPurposeToken(audience: string, token: string) {
      const found = verifyPurposeToken(token, audience, secretKey, new Date());
      return found && { ...found, isOf: (state: string): boolean => found.state === undefined || found.state === digest(state) };
    },
  };
}
