/** `/oidc/login`, `/oidc/callback` and `/oidc/logout`, for browsers. */
import { SrvError, messageOf } from '@srv/kernel';
import { clearedCookies, sessionCookie, toSeconds } from '@srv/lib-api';
import { attemptCookieLine, keepAttempt, localPath, readAttempt, readCookie } from '@srv/lib-auth/claims';
import { oidcCookie, samlCookie } from './claim-cookies.js';
import type { Request, ResponseToolkit, Server } from '@hapi/hapi';
import type { AuthService, IdentitySettings } from '@srv/auth/contract';
import type { Logger } from '@srv/kernel';
import type { ClaimedUsers } from '@srv/lib-auth/claims';
import type { Attempt, Provider } from './provider.js';

interface LoginRouteParts {
  readonly provider: Provider;
  readonly users: ClaimedUsers;
  readonly auth: AuthService;
  readonly settings: IdentitySettings;
  readonly syncGroups: boolean;
  /** Address of this server for browsers. */
  readonly baseUrl: string;
  readonly log: Logger;
}

const attemptCookie = 'oidc_login';
const hintCookie = 'oidc_id_token';
/** A cookie that browsers take. */
const largestHint = 3500;

export function addLoginRoutes(server: Server, parts: LoginRouteParts): void {
  const { provider, users, auth, settings, syncGroups, baseUrl, log } = parts;
  const { secretKey, login } = settings;
  const secure = new URL(baseUrl).protocol === 'https:';
  const kept = { name: attemptCookie, path: '/oidc', secure };
  const cookie = (name: string, value: string, seconds: number): string => attemptCookieLine({ ...kept, name }, value, seconds);
  const scope = { domain: login.cookieDomain, secure, installationId: auth.installationId };

  server.route([
    {
      method: 'GET',
      path: '/oidc/login',
      async handler(request, h) {
        const { url, attempt } = await provider.begin();
        const line = keepAttempt(kept, { ...attempt, next: localPath(request.query['next']) }, secretKey);
        return withCookies(h.redirect(url).code(302), [line]);
      },
    },
    {
      method: 'GET',
      path: '/oidc/callback',
      async handler(request, h) {
        const { attempt, next } = attemptOf(request, secretKey);
        const { claims, idToken } = await provider
          .finish(new URL(request.raw.req.url ?? '', baseUrl).search, attempt)
          .catch((error: unknown) => {
            log.warn({ error: reasonOf(error) }, 'login at the OpenID provider failed');
            throw error;
          });
        const user = await users.userOf(claims);
        if (syncGroups) await users.syncGroups(user.username, claims);
        const { token, expiresAt } = await auth.issueToken(user.username);
        log.info({ user: user.username }, 'user logged in by the OpenID provider');
        const seconds = Math.max(0, toSeconds(expiresAt) - toSeconds(new Date()));
        const cookies = [sessionCookie(token, seconds, scope), cookie(attemptCookie, '', 0)];
        if (idToken.length <= largestHint) cookies.push(cookie(hintCookie, idToken, seconds));
        return withCookies(h.redirect(next).code(303), cookies);
      },
    },
    {
      method: 'GET',
      path: '/oidc/logout',
      async handler(request, h) {
        const back = new URL('/', baseUrl).href;
        const url = await provider.logoutUrl(readCookie(request.raw.req.headers, hintCookie), back);
        return withCookies(h.redirect(url ?? login.logoutRedirectUrl).code(303), [
          ...clearedCookies(scope),
          ...clearedClaims(scope),
          cookie(hintCookie, '', 0),
        ]);
      },
    },
  ]);
}

/** A logout ends sessions of helpers, too. */
export function addClaimsLogout(server: Server, domain: string): void {
  server.ext('onPreResponse', (request, h) => {
    const { response } = request;
    if (request.path === '/logout' && 'header' in response) {
      const secure = server.info.protocol === 'https' || request.headers['x-forwarded-proto'] === 'https';
      for (const line of clearedClaims({ domain, secure })) response.header('Set-Cookie', line, { append: true });
    }
    return h.continue;
  });
}

function clearedClaims({ domain, secure }: { readonly domain: string; readonly secure: boolean }): string[] {
  const attributes = [
    'Path=/',
    'Max-Age=0',
    'HttpOnly',
    'SameSite=Lax',
    ...(domain === '' ? [] : [`Domain=${domain}`]),
    ...(secure ? ['Secure'] : []),
  ];
  return [oidcCookie, samlCookie].map(({ name }) => [`${name}=`, ...attributes].join('; '));
}

/** @throws SrvError `unauthenticated` when this browser began no login here, or too long ago. */
function attemptOf(request: Request, secretKey: string): { readonly attempt: Attempt; readonly next: string } {
  const found = readAttempt(request.raw.req.headers, attemptCookie, ['state', 'nonce', 'verifier', 'next'], secretKey);
  if (!found) throw new SrvError('unauthenticated', 'error authenticating request');
  const { next, ...attempt } = found;
  return { attempt, next: localPath(next) };
}

function withCookies(response: ReturnType<ResponseToolkit['redirect']>, cookies: readonly string[]) {
  for (const line of cookies) response.header('Set-Cookie', line, { append: true });
  return response.header('Cache-Control', 'no-store');
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}
