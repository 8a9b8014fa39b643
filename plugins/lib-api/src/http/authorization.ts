/** Credentials in the header `Authorization`: what programs send, unlike the cookies of browsers. */
import type { Credentials } from '@srv/kernel';

/**
 * @param from address of the caller.
 * @returns `undefined` for another scheme, and for a header that is not well-formed.
 */
export function authorizationCredentials(authorization: string, from: () => string): Credentials | undefined {
  return bearer(authorization) ?? basic(authorization, from);
}

/** Exactly two words, the first of them `bearer`; anything else counts as no credential rather than a bad one. */
function bearer(authorization: string): Credentials | undefined {
  const [scheme, token, ...more] = authorization.trim().split(/\s+/);
  return scheme?.toLowerCase() === 'bearer' && token !== undefined && more.length === 0 ? { kind: 'token', token } : undefined;
}

function basic(authorization: string, from: () => string): Credentials | undefined {
  const match = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(authorization.trim());
  if (!match) return undefined;
  return keyPair(Buffer.from(match[1] ?? '', 'base64').toString('utf8'), from);
}

/** `<access key id>:<secret>`. Secrets may hold colons: only the first one separates. */
export function keyPair(text: string, from: () => string): Credentials | undefined {
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { kind: 'basic', accessKeyId: text.slice(0, colon), secretAccessKey: text.slice(colon + 1), from: from() };
}
