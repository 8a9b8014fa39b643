/** The browser's session: a login token in a cookie. */

const sessionCookieName = 'access_token';

export interface CookieScope {
  /** Empty: the host that sets the cookie. */
  readonly domain: string;
  readonly secure: boolean;
}

/** @param maxAge seconds; the cookie lives as long as its token, so that no expired one is ever sent. */
export function sessionCookie(token: string, maxAge: number, { domain, secure }: CookieScope): string {
  const attributes = [`${sessionCookieName}=${token}`, 'Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Lax'];
  if (domain !== '') attributes.push(`Domain=${domain}`);
  if (secure) attributes.push('Secure');
  return attributes.join('; ');
}

/** Makes the browser forget the session. */
export function clearedCookie(scope: CookieScope): string {
  return sessionCookie('', 0, scope);
}

/** Value of the session cookie in a `Cookie` header; empty counts as absent. */
export function readSession(header: string | undefined): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim() !== sessionCookieName) continue;
    const token = value
      .join('=')
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (token !== '') return token;
  }
  return undefined;
}
