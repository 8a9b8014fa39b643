/** `/saml/login`, `/saml/acs`, `/saml/finish` and `/saml/metadata`, for browsers and the provider. */
import { SrvError, messageOf } from '@srv/kernel';
import { sessionCookie, toSeconds } from '@srv/lib-api';
import { attemptCookieLine, keepAttempt, localPath, readAttempt } from '@srv/lib-auth/claims';
import { refused } from './document.js';
import { newRequestId } from './login.js';
import type { Server } from '@hapi/hapi';
import type { AuthService, IdentitySettings } from '@srv/auth/contract';
import type { Logger } from '@srv/kernel';
import type { Login } from './login.js';
import type { Provider } from './provider.js';

interface RouteParts {
  readonly provider: Provider;
  readonly login: Login;
  readonly auth: Pick<AuthService, 'installationId'>;
  readonly settings: IdentitySettings;
  /** Address of this server for browsers. */
  readonly baseUrl: string;
  readonly log: Logger;
}

const attemptCookie = 'saml_login';
/** Bytes of the provider's form. */
const largestForm = 524_288;

export function addLoginRoutes(server: Server, { provider, login, auth, settings, baseUrl, log }: RouteParts): void {
  const secure = new URL(baseUrl).protocol === 'https:';
  const kept = { name: attemptCookie, path: '/saml', secure };
  const scope = { domain: settings.login.cookieDomain, secure, installationId: auth.installationId };
  const logged = (error: unknown): never => {
    const cause = error instanceof SrvError && error.cause ? error.cause : error;
    log.warn({ error: messageOf(cause) }, 'login at the SAML provider failed');
    throw error;
  };
  server.route([
    {
      method: 'GET',
      path: '/saml/metadata',
      handler: async (_request, h) => h.response(await provider.metadata()).type('application/samlmetadata+xml'),
    },
    {
      method: 'GET',
      path: '/saml/login',
      async handler(request, h) {
        const requestId = newRequestId();
        const line = keepAttempt(kept, { requestId, next: localPath(request.query['next']) }, settings.secretKey);
        return h
          .redirect(await provider.begin(requestId))
          .code(302)
          .header('Set-Cookie', line)
          .header('Cache-Control', 'no-store');
      },
    },
    {
      method: 'POST',
      path: '/saml/acs',
      options: { payload: { parse: true, allow: 'application/x-www-form-urlencoded', maxBytes: largestForm, failAction: 'error' } },
      async handler(request, h) {
        const { SAMLResponse: response } = (request.payload ?? {}) as { readonly SAMLResponse?: unknown };
        const ticket = await login.accept(response).catch(logged);
        // Where the browser goes next is kept by the browser: RelayState is not read.
        return h
          .redirect(`/saml/finish?ticket=${encodeURIComponent(ticket)}`)
          .code(303)
          .header('Cache-Control', 'no-store');
      },
    },
    {
      method: 'GET',
      path: '/saml/finish',
      async handler(request, h) {
        const attempt = readAttempt(request.raw.req.headers, attemptCookie, ['requestId', 'next'], settings.secretKey);
        if (!attempt) return logged(refused('this browser did not begin the login here, or too long ago'));
        const { token, expiresAt } = await login.finish(String(request.query['ticket'] ?? ''), attempt.requestId).catch(logged);
        const seconds = Math.max(0, toSeconds(expiresAt) - toSeconds(new Date()));
        return h
          .redirect(localPath(attempt.next))
          .code(303)
          .header('Set-Cookie', sessionCookie(token, seconds, scope), { append: true })
          .header('Set-Cookie', attemptCookieLine(kept, '', 0), { append: true })
          .header('Cache-Control', 'no-store')
          .header('Referrer-Policy', 'no-referrer');
      },
    },
  ]);
}
