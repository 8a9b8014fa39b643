/** A login at an identity provider: what the browser keeps while it is there, and where it returns to. */
import { signClaims, verifyClaims } from '../token.js';

/** Seconds to log in at the provider. */
const attemptTtlSeconds = 600;

interface AttemptCookie {
  /** Name of the cookie, and audience of what it holds. */
  readonly name: string;
  /** The paths that read it. */
  readonly path: string;
  readonly secure: boolean;
}

type Kept = Readonly<Record<string, string>>;

/** A cookie of the login alone: sent with links and redirects to us, not with forms of other sites. @param maxAge seconds. */
export function attemptCookieLine({ name, path, secure }: AttemptCookie, value: string, maxAge: number): string {
  return [`${name}=${value}`, `Path=${path}`, `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])].join('; ');
}

/** @returns the line for `Set-Cookie` that keeps what must come back unchanged, for ten minutes. */
export function keepAttempt(cookie: AttemptCookie, kept: Kept, secretKey: string): string {
  const exp = Math.floor(Date.now() / 1000) + attemptTtlSeconds;
  return attemptCookieLine(cookie, signClaims({ ...kept, aud: cookie.name, exp }, secretKey), attemptTtlSeconds);
}

/** What this browser keeps; `undefined` when it began no login here, or too long ago, or something changed it. */
export function readAttempt<K extends string>(
  headers: Headers,
  name: string,
  members: readonly K[],
  secretKey: string,
): Readonly<Record<K, string>> | undefined {
  const found = verifyClaims(readCookie(headers, name) ?? '', secretKey, new Date());
  if (found?.['aud'] !== name || members.some(member => typeof found[member] !== 'string')) return undefined;
  return found as Record<K, string>;
}

/** A path of this server: a login must not lead elsewhere. Anything else is the home page. */
export function localPath(next: unknown): string {
  return typeof next === 'string' && next.length <= 2000 && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/';
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function readCookie(headers: Headers, name: string): string | undefined {
  const { cookie = '' } = headers;
  for (const pair of String(cookie).split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}
