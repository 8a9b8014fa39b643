/** The browser's session: a login token in a cookie. */

/** What earlier versions called the cookie. */
const oldName = 'access_token';

/** Cookies belong to a host, not to a port: each installation has a name of its own, so that two on one host do not log each other out. */
export function sessionCookieName(installationId: string | undefined): string {
  const id = /^[0-9a-f]{8}/i.exec(installationId ?? '')?.[0];
  return id === undefined ? oldName : `${oldName}_${id.toLowerCase()}`;
}

export interface CookieScope {
  /** Empty: the host that sets the cookie. */
  readonly domain: string;
  readonly secure: boolean;
  readonly installationId: string | undefined;
}

/** @param maxAge seconds; the cookie expires with its token, so that no expired token is ever sent. */
export function sessionCookie(token: string, maxAge: number, scope: CookieScope): string {
  return cookie(sessionCookieName(scope.installationId), token, maxAge, scope);
}

/** Makes the browser forget the session, but not one that may be another installation's. */
export function clearedCookie(scope: CookieScope): string {
  return sessionCookie('', 0, scope);
}

/** Makes the browser forget the session, whatever its cookie was called. */
export function clearedCookies(scope: CookieScope): string[] {
  const own = clearedCookie(scope);
  return sessionCookieName(scope.installationId) === oldName ? [own] : [own, cookie(oldName, '', 0, scope)];
}

interface Session {
  readonly token: string;
  /** The cookie has the old name: it may be of another installation on the same host. */
  readonly isOld: boolean;
}

/** The session in a `Cookie` header; an empty cookie counts as absent. */
export function readSession(header: string | undefined, installationId: string | undefined): Session | undefined {
  const own = sessionCookieName(installationId);
  const values = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=');
    const token = value
      .join('=')
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (token !== '' && !values.has(name.trim())) values.set(name.trim(), token);
  }
  const token = values.get(own);
  if (token !== undefined) return { token, isOld: false };
  const old = values.get(oldName);
  return old === undefined ? undefined : { token: old, isOld: true };
}

function cookie(name: string, value: string, maxAge: number, { domain, secure }: CookieScope): string {
  const attributes = [`${name}=${value}`, 'Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Lax'];
  if (domain !== '') attributes.push(`Domain=${domain}`);
  if (secure) attributes.push('Secure');
  return attributes.join('; ');
}
