/** The first run: the first administrator, and what the login page shows. */

import { SrvError } from '@srv/kernel';
import { empty, flag, json, list, oneOf, operation, optional, record, text, toSeconds } from '@srv/lib-api';
import { credentialWithSecret } from './wire.js';
import type { OperationContext } from '@srv/lib-api';
import type { CommunicationPreferences } from '../contract.js';

const accessKey = record({
  access_key_id: text({ filled: true, problem: 'must not be empty' }),
  secret_access_key: text({ filled: true, problem: 'must not be empty' }),
});

const preferenceFields = {
  firstName: optional(text()),
  lastName: optional(text()),
  email: optional(text()),
  companyName: optional(text()),
  featureUpdates: optional(flag()),
  securityUpdates: optional(flag()),
};

const loginConfig = record({
  RBAC: optional(oneOf('none', 'simplified', 'external', 'internal')),
  username_ui_placeholder: optional(text()),
  password_ui_placeholder: optional(text()),
  login_url: text(),
  login_url_method: optional(oneOf('none', 'redirect', 'select')),
  login_failed_message: optional(text()),
  notice: optional(text()),
  fallback_login_url: optional(text()),
  fallback_login_label: optional(text()),
  login_cookie_names: list(text()),
  logout_url: text(),
});

export const setupOperations = {
  getSetupState: operation({
    operationId: 'getSetupState',
    method: 'GET',
    path: '/setup_lakefs',
    tag: 'internal',
    summary: 'Whether the installation is set up, and what the login page shows',
    access: 'public',
    status: 200,
    result: json(
      record({
        state: optional(oneOf('initialized', 'not_initialized')),
        comm_prefs_missing: optional(flag()),
        login_config: optional(loginConfig),
      }),
    ),
    async handler({ services }) {
      if (!services.find('auth')) return foreignState(services);
      const { initialized, preferencesMissing, notice } = await services.get('auth').setupState();
      const { page } = services.get('auth').login;
      const links = services.find('loginLinks');
      // Pages that know no login but their own show the other one as a link.
      const fallbackUrl = page.fallbackUrl || (links?.loginUrl ?? '');
      const fallbackLabel = page.fallbackLabel || (links ? 'Log in with single sign-on' : '');
      const namesAreAsked = services.get('auth').login.usePlaceholders || services.get('accounts').asksForNames();
      const placeholders = namesAreAsked ? { username_ui_placeholder: 'Username', password_ui_placeholder: 'Password' } : {};
      return {
        state: initialized ? ('initialized' as const) : ('not_initialized' as const),
        comm_prefs_missing: preferencesMissing,
        login_config: {
          RBAC: services.get('auth').mode,
          ...placeholders,
          login_url: page.loginUrl || (links?.loginUrl ?? ''),
          login_url_method: links ? ('select' as const) : ('none' as const),
          login_failed_message: page.failedMessage,
          notice,
          fallback_login_url: fallbackUrl || undefined,
          fallback_login_label: fallbackLabel || undefined,
          login_cookie_names: page.cookieNames,
          logout_url: page.logoutUrl || (links?.logoutUrl ?? '/logout'),
        },
      };
    },
  }),

  setup: operation({
    operationId: 'setup',
    method: 'POST',
    path: '/setup_lakefs',
    tag: 'internal',
    summary: 'Create the first administrator',
    access: 'public',
    body: record({ username: text(), key: optional(accessKey), ...preferenceFields }),
    status: 200,
    result: json(credentialWithSecret),
    failures: [400, 409],
    async handler({ services, log }, { body: { username, key, ...preferences } }) {
      const created = await services.get('auth').setup({
        username,
        preferences: givenPreferences(preferences),
        key: key ? { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key } : undefined,
      });
      log.info({ user: username }, 'installation set up');
      return {
        access_key_id: created.accessKeyId,
        secret_access_key: created.secretAccessKey,
        creation_date: toSeconds(created.createdAt),
      };
    },
  }),

  setupCommPrefs: operation({
    operationId: 'setupCommPrefs',
    method: 'POST',
    path: '/setup_comm_prefs',
    tag: 'internal',
    summary: 'Set the communication preferences of the installation',
    access: 'public',
    body: record(preferenceFields),
    status: 200,
    result: empty,
    failures: [400, 409, 412],
    async handler({ services }, { body }) {
      const { initialized, preferencesMissing } = await services.get('auth').setupState();
      if (!initialized) throw new SrvError('precondition_failed', 'lakeFS is not initialized');
      if (!preferencesMissing) throw new SrvError('not_unique', 'communication preferences already set');
      if (!body.email) throw new SrvError('invalid', 'email is required');
      await services.get('auth').setPreferences(givenPreferences(body));
    },
  }),

  getAuthCapabilities: operation({
    operationId: 'getAuthCapabilities',
    method: 'GET',
    path: '/auth/capabilities',
    tag: 'internal',
    summary: 'User management capabilities of this server',
    access: 'public',
    status: 200,
    result: json(record({ invite_user: optional(flag()), forgot_password: optional(flag()) })),
    handler: ({ services }) => ({
      invite_user: services.find('invitations') !== undefined,
      forgot_password: services.find('invitations')?.resetsPasswords === true,
    }),
  }),
};

/** Leaves out what was not said. */
function givenPreferences({
  email,
  firstName,
  lastName,
  companyName,
  featureUpdates,
}: { readonly [K in keyof CommunicationPreferences]?: CommunicationPreferences[K] | undefined }): CommunicationPreferences {
  return {
    email,
    firstName,
    lastName,
    companyName,
    featureUpdates,
  };
}

/** Where another plugin knows the users: there is nothing to set up, and the login page asks for what that plugin knows. */
function foreignState(services: OperationContext['services']) {
  const links = services.find('loginLinks');
  return {
    state: 'initialized' as const,
    comm_prefs_missing: false,
    login_config: {
      RBAC: services.get('identity').rbac,
      username_ui_placeholder: 'Access key ID',
      password_ui_placeholder: 'Secret access key',
      login_url: links?.loginUrl ?? '',
      login_url_method: links ? ('select' as const) : ('none' as const),
      login_failed_message: 'The credentials do not match.',
      login_cookie_names: [],
      logout_url: links?.logoutUrl ?? '/logout',
    },
  };
}
