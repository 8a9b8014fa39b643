/** The session that `cli login` stores, renewed as long as it is used. */
import { SrvError, messageOf } from '@srv/kernel';
import { TokenCache } from './token-cache.js';
import type { CachedToken } from './token-cache.js';

/** Seconds before its end from which a session is renewed. */
const renewalTime = 3 * 86_400;

/** URL of an operation: endpoints are given with or without `/api/v1`. */
export function apiUrl(endpoint: string, path: string): URL {
  const base = new URL(endpoint);
  return new URL(`${base.pathname.replace(/(?<!\/)\/+$/, '') || '/api/v1'}${path}`, base);
}

/** @param cache where the session is kept. */
export function storedSession(endpoint: string, cache = new TokenCache(endpoint, undefined, 'session')) {
  let reading: Promise<string> | undefined;
  /** A session whose renewal was tried, and the time, in seconds since 1970, from which it is tried again. */
  let tried: { readonly token: string; readonly again: number } | undefined;

  async function current(): Promise<string> {
    const found = await cache.read();
    const now = Date.now() / 1000;
    const left = (found?.expiresAt ?? 0) - now;
    // Final: the client of the API neither repeats the request nor takes it for a failure of the connection.
    if (!found || left <= 0) throw new SrvError('unauthenticated', `the session at ${new URL(endpoint).origin} has ended: run "cli login"`);
    if (left > renewalTime || (tried?.token === found.token && now < tried.again)) return found.token;
    tried = { token: found.token, again: now + left / 2 };
    return renewed(found);
  }

  /** Without a new one, the old one is still good for a while. */
  async function renewed(session: CachedToken): Promise<string> {
    const { token } = session;
    try {
      const response = await fetch(apiUrl(endpoint, '/auth/renew_token'), {
        method: 'POST',
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(10_000),
      });
      const next = tokenOf(await response.json());
      if (!response.ok || !next) return token;
      if (await cache.replace(session, next)) {
        tried = { token: next.token, again: (next.expiresAt + Date.now() / 1000) / 2 };
        return next.token;
      }
    } catch (error) {
      process.stderr.write(`session not renewed: ${messageOf(error)}\n`);
      return token;
    }
    // A login or logout came first.
    return current();
  }

  return {
    exists: () => cache.exists(),
    read: () => cache.read(),
    store: (token: CachedToken) => cache.write(token),
    remove: () => cache.remove(),
    /**
     * Asked for by every request: a login or logout takes effect at once, in a shell that stays open, too.
     * @throws SrvError `unauthenticated` without a session, and when it has ended.
     */
    token: () => {
      reading ??= current().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** A token as the server sends it; `undefined`: it is not one. */
export function tokenOf(body: unknown): CachedToken | undefined {
  const { token, token_expiration: expiresAt } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return typeof token === 'string' && token !== '' && typeof expiresAt === 'number' ? { token, expiresAt } : undefined;
}
