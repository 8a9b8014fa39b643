/** Credentials in the header `Authorization`: what programs send, unlike the cookies of browsers. */
import type { Credentials } from '@srv/kernel';

/**
 * @param from address of the caller.
 * @returns `undefined` for another scheme, and for a header that is not well-formed.
 */
export function authorizationCredentials(authorization: string, from: () => string): Credentials | undefined {
  // Anything but two words counts as no credential rather than a bad one.
  const [, scheme, value = ''] = /^(\S+)\s+(\S+)$/.exec(authorization.trim()) ?? [];
  switch (scheme?.toLowerCase()) {
    case 'basic':
      return base64.test(value) ? keyPair(Buffer.from(value, 'base64').toString('utf8'), from) : undefined;
    case 'bearer':
      return { kind: 'token', token: value };
    default:
      return undefined;
  }
}

const base64 = /^[A-Za-z0-9+/=]+$/;

/** `<access key id>:<secret>`. Secrets may hold colons: only the first one separates. */
export function keyPair(text: string, from: () => string): Credentials | undefined {
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { kind: 'basic', accessKeyId: text.slice(0, colon), secretAccessKey: text.slice(colon + 1), from: from() };
}
