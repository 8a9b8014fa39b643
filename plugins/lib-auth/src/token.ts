/** JSON web tokens signed with `auth.encrypt.secret_key`, readable by the services that share the key. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

const loginAudience = 'login';
/** Accepted on input; issued is HS256. */
const hashes: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };
/** No token of ours is longer; what is longer is not worth hashing. */
const maxLength = 16_384;

export type Claims = Readonly<Record<string, unknown>>;

const encode = (part: object): string => Buffer.from(JSON.stringify(part), 'utf8').toString('base64url');
/** Whole seconds since 1970, as tokens have them. */
export const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** A token with `claims` and nothing else. */
export function signClaims(claims: Claims, secretKey: string): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}

/** Claims of a token whose signature is right and that has not expired; `undefined` for any other text. */
export function verifyClaims(token: string, secretKey: string, now: Date): Claims | undefined {
  if (token.length > maxLength) return undefined;
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) return undefined;
  const algorithm = parse(header)?.['alg'];
  const hash = typeof algorithm === 'string' && Object.hasOwn(hashes, algorithm) ? hashes[algorithm] : undefined;
  if (hash === undefined) return undefined;
  const expected = createHmac(hash, secretKey).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = parse(payload);
  const exp = claims?.['exp'];
  return typeof exp === 'number' && exp * 1000 > now.getTime() ? claims : undefined;
}

/** What a login token says. */
export interface Login {
  readonly username: string;
  /** Sessions of the user that were ended before the token was issued; see {@link Sessions.revoke}. */
  readonly epoch: number;
  /** The access key it was exchanged for. */
  readonly accessKeyId?: string | undefined;
  /** Seconds since 1970: no renewal lasts longer. Absent: renewals go without end. */
  readonly latestEnd?: number | undefined;
  /** When the user was created, in seconds since 1970; absent in tokens of earlier versions and of other programs. */
  readonly userCreated?: number | undefined;
}

/** @param issuedAt @param expiresAt truncated to whole seconds. */
export function signLogin(login: Login, secretKey: string, issuedAt: Date, expiresAt: Date): string {
  const { username, epoch, accessKeyId, latestEnd, userCreated } = login;
  const claims = {
    jti: randomUUID(),
    iss: 'auth',
    sub: username,
    // A plain text: verifiers refuse an array.
    aud: loginAudience,
    iat: seconds(issuedAt),
    exp: seconds(expiresAt),
    ...(epoch === 0 ? {} : { epoch }),
    ...(accessKeyId === undefined ? {} : { key: accessKeyId }),
    ...(latestEnd === undefined ? {} : { latest_end: latestEnd }),
    ...(userCreated === undefined ? {} : { user_created: userCreated }),
  };
  return signClaims(claims, secretKey);
}

/** What a valid login token says; `undefined` for any other text, and for tokens made for other purposes. */
export function verifyLogin(token: string, secretKey: string, now: Date): Login | undefined {
  const { sub, aud, epoch = 0, key, latest_end: latestEnd, user_created: userCreated } = verifyClaims(token, secretKey, now) ?? {};
  if (aud !== undefined && aud !== '' && aud !== loginAudience) return undefined;
  if (typeof sub !== 'string' || sub === '' || typeof epoch !== 'number') return undefined;
  if (key !== undefined && typeof key !== 'string') return undefined;
  if (latestEnd !== undefined && typeof latestEnd !== 'number') return undefined;
  if (userCreated !== undefined && typeof userCreated !== 'number') return undefined;
  return { username: sub, epoch, accessKeyId: key, latestEnd, userCreated };
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
