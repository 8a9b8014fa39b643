/** The plugin: users by claims, and the login at an OpenID provider. */
import { definePlugin } from '@srv/kernel';
import { ClaimedUsers, identify } from '@srv/lib-auth/claims';
import section from '../config.js';
import operations from '../operations.js';
import { oidcCookie, readClaims, samlCookie } from './claim-cookies.js';
import { providerKeys } from './provider-keys.js';
import { addClaimsLogout, addLoginRoutes } from './routes.js';
import type { Server } from '@hapi/hapi';
import type {} from '@srv/auth/contract';
import type { PluginKernel } from '@srv/kernel';
import type { ClaimedUsersOptions } from '@srv/lib-auth/claims';
import type { ClaimCookie } from './claim-cookies.js';

interface Session {
  readonly cookie: ClaimCookie;
  readonly users: ClaimedUsers;
}

export default definePlugin({
  name: 'auth-claims',
  apply(kernel) {
    const { hooks, services } = kernel;
    let sessions: readonly Session[] = [];
    hooks.operations.tap('auth-claims', table => table.add('auth-claims', operations));
    hooks.start.tapPromise('auth-claims', async () => {
      const [auth, accounts] = [services.find('auth'), services.find('accounts')];
      const config = valuesOf(kernel);
      const { validate } = samlRules(config);
      services.provide('claims', { subjectOf: claims => subjectOf(claims, validate) });
      // Users of another kind have no accounts here.
      if (!auth || !accounts) return;
      const parts = { auth, accounts, kv: services.get('kv'), cache: services.get('identitySettings').cache, log: kernel.log };
      const oidc = { cookie: oidcCookie, users: new ClaimedUsers(oidcRules(config), parts) };
      const saml = { cookie: samlCookie, users: new ClaimedUsers(samlRules(config), parts) };
      sessions = config['auth.cookie_auth_verification.external_user_id_claim_name'] ? [oidc, saml] : [oidc];
      if (config['auth.jwt.jwks_url']) {
        const { createJwtLogin } = await import('./jwt-login.js');
        const login = createJwtLogin({
          jwksUrl: config['auth.jwt.jwks_url'],
          issuer: config['auth.jwt.issuer'] ?? '',
          audience: config['auth.jwt.audience'] ?? '',
          timeout: config['auth.oidc.request_timeout'],
          users: new ClaimedUsers({ ...oidcRules(config), source: 'jwt' }, parts),
          auth,
          syncGroups: config['auth.oidc.sync_groups'],
          log: kernel.log,
        });
        services.provide('jwtLogin', login);
      }
      const keys = providerKeys(config, kernel.config.show());
      if (keys.length > 1)
        kernel.log.warn({ keys }, 'user IDs of all identity providers are one space: a provider can log in every user of the others');
      if (config['auth.oidc.issuer']) services.provide('loginLinks', { loginUrl: '/oidc/login', logoutUrl: '/oidc/logout' });
    });
    hooks.authenticate.for('headers').tapPromise('auth-claims', async credentials => {
      if (credentials.kind !== 'headers') return undefined;
      const { secretKey } = services.get('identitySettings');
      for (const { cookie, users } of sessions) {
        const found = readClaims(credentials.headers, cookie, secretKey);
        if (found) return { ...(await users.userOf(found.claims)), session: { endsAt: found.endsAt } };
      }
      return undefined;
    });
    hooks.routes.tapPromise('auth-claims', async added => {
      // The framework is the listener's; its plugin is above this one.
      const server = added as Server;
      const settings = services.get('identitySettings');
      addClaimsLogout(server, settings.login.cookieDomain);
      const [oidc] = sessions;
      const config = valuesOf(kernel);
      const issuer = config['auth.oidc.issuer'];
      if (!issuer || !oidc) return;
      const baseUrl = config['auth.oidc.callback_base_url'] ?? '';
      const { Provider } = await import('./provider.js');
      const provider = new Provider({
        issuer,
        clientId: config['auth.oidc.client_id'] ?? '',
        clientSecret: config['auth.oidc.client_secret'],
        redirectUri: new URL('/oidc/callback', baseUrl).href,
        scopes: config['auth.oidc.scopes'],
        timeout: config['auth.oidc.request_timeout'],
      });
      const syncGroups = config['auth.oidc.sync_groups'];
      const parts = { provider, users: oidc.users, auth: services.get('auth'), settings, syncGroups, baseUrl, log: kernel.log };
      addLoginRoutes(server, parts);
    });
  },
});

type Values = ReturnType<typeof valuesOf>;
const valuesOf = (kernel: PluginKernel) => kernel.config.values(section.keys);

function oidcRules(config: Values): ClaimedUsersOptions {
  return {
    idClaim: 'sub',
    source: 'oidc',
    validate: config['auth.oidc.validate_id_token_claims'] ?? {},
    defaultGroups: config['auth.oidc.default_initial_groups'],
    groupClaims: config['auth.oidc.initial_groups_claim_name'],
    nameClaims: config['auth.oidc.friendly_name_claim_name'] ?? [],
    persistName: config['auth.oidc.persist_friendly_name'],
  };
}

function samlRules(config: Values): ClaimedUsersOptions {
  return {
    idClaim: config['auth.cookie_auth_verification.external_user_id_claim_name'] ?? '',
    source: config['auth.cookie_auth_verification.auth_source'] ?? 'saml',
    validate: config['auth.cookie_auth_verification.validate_id_token_claims'] ?? {},
    defaultGroups: config['auth.cookie_auth_verification.default_initial_groups'],
    groupClaims: config['auth.cookie_auth_verification.initial_groups_claim_name'],
    nameClaims: config['auth.cookie_auth_verification.friendly_name_claim_name'] ?? [],
    persistName: config['auth.cookie_auth_verification.persist_friendly_name'],
  };
}

function subjectOf(claims: Readonly<Record<string, unknown>>, validate: Readonly<Record<string, string>>): string | undefined {
  try {
    return identify(claims, { idClaim: 'sub', validate, nameClaims: [], defaultGroups: [], groupClaims: [] }).externalId;
  } catch {
    return undefined;
  }
}
