/** Which credentials a request carries: the first kind present decides, the others are not looked at. */
import { readSession } from '@srv/lib-api';
import { authorizationCredentials } from '@srv/lib-api/http';
import type { Credentials } from '@srv/kernel';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Presented {
  readonly credentials: Credentials;
  /** Where a browser's session came from. The installation's own has to be forgotten when it is no longer good. */
  readonly cookie?: 'own' | 'old';
}

/**
 * Always answers: other plugins may find something in the headers that is not known here.
 * @param from address of the caller.
 */
export function presentedCredentials(headers: Headers, method: string, from: () => string, installationId?: string): Presented {
  const authorization = typeof headers.authorization === 'string' ? headers.authorization : '';
  const credentials = authorizationCredentials(authorization, from);
  if (credentials) return { credentials };
  if (isForeignWrite(headers, method)) {
    const { cookie: _, ...others } = headers;
    return { credentials: { kind: 'headers', headers: others } };
  }
  const session = readSession(typeof headers.cookie === 'string' ? headers.cookie : undefined, installationId);
  if (session) return { credentials: { kind: 'token', token: session.token }, cookie: session.isOld ? 'old' : 'own' };
  return { credentials: { kind: 'headers', headers } };
}

/**
 * Whether a write may come from a page of another origin, which makes the browser send the session along: it does not count
 * then. Sibling hosts are the same site to a browser, so the site alone does not decide. Browsers name the origin of every
 * write; over plain HTTP some send `Origin` only.
 */
function isForeignWrite(headers: Headers, method: string): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const { 'sec-fetch-site': site, origin, host, 'x-forwarded-host': forwarded } = headers;
  if (site !== undefined) return site !== 'same-origin';
  if (typeof origin !== 'string' || !URL.canParse(origin)) return true;
  const from = new URL(origin).host;
  return from !== host && from !== forwarded;
}
