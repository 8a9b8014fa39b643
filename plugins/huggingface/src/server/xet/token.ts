/** What lets a client send chunks: one user, one repository, one session, six hours. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UploadRight } from '../upload-right.js';

export interface XetGrant extends UploadRight {
  /** Names the address to which chunks are sent, and with it the client's memory of what it has sent. */
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** @param key of this installation. */
export function signGrant({ repository, instance, user, session, expires }: XetGrant, key: string): string {
  const payload = Buffer.from(JSON.stringify([repository, instance, user, session, expires]), 'utf8').toString('base64url');
  return `${payload}.${signatureOf(payload, key)}`;
}

/** @returns `undefined` for what was not signed here, and what has expired. */
export function readGrant(token: string, key: string): XetGrant | undefined {
  const [payload = '', signature = '', ...more] = token.split('.');
  const [wanted, given] = [Buffer.from(signatureOf(payload, key)), Buffer.from(signature)];
  if (more.length > 0 || wanted.length !== given.length || !timingSafeEqual(wanted, given)) return undefined;
  const [repository, instance, user, session, expires] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as [
    string,
    string,
    string,
    string,
    number,
  ];
  return expires > Date.now() ? { repository, instance, user, session, expires } : undefined;
}

function signatureOf(payload: string, key: string): string {
  return createHmac('sha256', key).update(`huggingface-xet ${payload}`).digest('base64url');
}
