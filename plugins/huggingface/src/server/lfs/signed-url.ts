/** URLs that carry their own right: clients send bytes without credentials. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { base } from '../address.js';

export interface SignedUpload {
  readonly repository: string;
  readonly user: string;
  /** SHA-256 in hex. */
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export const uploadPrefix = 'lfs-upload';

/** The path of an upload. @param key of this installation. */
export function signedPath(upload: SignedUpload, key: string): string {
  const { repository, user, oid, size, expires } = upload;
  const parts = [repository, encodeURIComponent(user), oid, String(size), String(expires), signatureOf(upload, key)];
  return `${base}/${uploadPrefix}/${parts.join('/')}`;
}

/** @param parts decoded segments after {@link uploadPrefix}. @returns `undefined` for what was not signed here. */
export function verified(parts: readonly string[], key: string): SignedUpload | undefined {
  const [repository = '', user = '', oid = '', size = '', expires = '', signature = ''] = parts;
  if (parts.length !== 6 || !/^\d{1,15}$/.test(size) || !/^\d{1,15}$/.test(expires)) return undefined;
  const upload = { repository, user, oid, size: Number(size), expires: Number(expires) };
  const [wanted, given] = [Buffer.from(signatureOf(upload, key)), Buffer.from(signature)];
  return wanted.length === given.length && timingSafeEqual(wanted, given) ? upload : undefined;
}

/** Each part has a length, so that no two uploads have the same text. */
function signatureOf({ repository, user, oid, size, expires }: SignedUpload, key: string): string {
  const text = JSON.stringify(['huggingface-lfs', repository, user, oid, size, expires]);
  return createHmac('sha256', key).update(text).digest('hex');
}
