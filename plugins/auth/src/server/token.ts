/** Login tokens: JSON web tokens signed with `auth.encrypt.secret_key`, readable by the services that share the key. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

const audience = 'login';
/** Accepted on input; issued is HS256. */
const hashes: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

const encode = (part: object): string => Buffer.from(JSON.stringify(part), 'utf8').toString('base64url');

/** @param issuedAt @param expiresAt truncated to whole seconds. */
export function signToken(username: string, secretKey: string, issuedAt: Date, expiresAt: Date): string {
  const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);
  // The audience is a plain text: verifiers refuse an array.
  const claims = { jti: randomUUID(), iss: 'auth', sub: username, aud: audience, iat: seconds(issuedAt), exp: seconds(expiresAt) };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}

/** User name of a valid login token; `undefined` for any other text, and for tokens made for other purposes. */
export function verifyToken(token: string, secretKey: string, now: Date): string | undefined {
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) return undefined;
  const algorithm = parse(header)?.alg;
  const hash = typeof algorithm === 'string' && Object.hasOwn(hashes, algorithm) ? hashes[algorithm] : undefined;
  if (hash === undefined) return undefined;
  const expected = createHmac(hash, secretKey).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { sub, aud, exp } = parse(payload) ?? {};
  if (aud !== undefined && aud !== '' && aud !== audience) return undefined;
  if (typeof exp !== 'number' || exp * 1000 <= now.getTime()) return undefined;
  return typeof sub === 'string' && sub !== '' ? sub : undefined;
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
