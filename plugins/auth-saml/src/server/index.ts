/** The plugin: the login at a SAML provider, where one is configured. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SrvError, definePlugin, messageOf } from '@srv/kernel';
import { ClaimedUsers } from '@srv/lib-auth/claims';
import section from '../config.js';
import { installAdvice, isInstalled } from './installed.js';
import { createLogin, idClaim } from './login.js';
import { Provider } from './provider.js';
import { addLoginRoutes } from './routes.js';
import type { Server } from '@hapi/hapi';
import type {} from '@srv/auth/contract';
import type { PluginKernel } from '@srv/kernel';

export default definePlugin({
  name: 'auth-saml',
  apply(kernel) {
    const { hooks, services, log } = kernel;
    hooks.start.tap('auth-saml', () => {
      const config = valuesOf(kernel);
      if (!config['auth.saml.entry_point']) return;
      if (!services.find('auth') || !services.find('accounts'))
        throw new SrvError(
          'config',
          'auth.saml.entry_point: the users of this installation are managed elsewhere, and cannot log in by SAML',
        );
      if (!isInstalled(config['auth.saml.installed_in'])) log.warn({}, installAdvice);
      services.provide('loginLinks', { loginUrl: '/saml/login', logoutUrl: '/logout' });
    });
    hooks.routes.tap('auth-saml', added => {
      const config = valuesOf(kernel);
      if (!config['auth.saml.entry_point']) return;
      const [auth, accounts, settings] = [services.get('auth'), services.get('accounts'), services.get('identitySettings')];
      const baseUrl = config['auth.saml.callback_base_url'] ?? '';
      const provider = new Provider(trustOf(config, baseUrl), config['auth.saml.installed_in']);
      const users = new ClaimedUsers(rulesOf(config), { auth, accounts, kv: services.get('kv'), cache: settings.cache, log });
      const login = createLogin({
        provider,
        users,
        auth,
        accounts,
        idAttribute: config['auth.saml.id_attribute'] || undefined,
        groupAttributes: config['auth.saml.initial_groups_attribute'],
        syncGroups: config['auth.saml.sync_groups'],
        defaultGroups: config['auth.saml.default_initial_groups'],
        log,
      });
      // The framework is the listener's; its plugin is above this one.
      addLoginRoutes(added as Server, { provider, login, auth, settings, baseUrl, log });
    });
  },
});

type Values = ReturnType<typeof valuesOf>;
const valuesOf = (kernel: PluginKernel) => kernel.config.values(section.keys);

function trustOf(config: Values, baseUrl: string) {
  return {
    certificates: certificatesIn(config['auth.saml.idp_certificate_file'] ?? ''),
    idpIssuer: config['auth.saml.idp_issuer'] ?? '',
    entityId: config['auth.saml.entity_id'] || new URL('/saml/metadata', baseUrl).href,
    acsUrl: new URL('/saml/acs', baseUrl).href,
    entryPoint: config['auth.saml.entry_point'] ?? '',
    clockSkew: config['auth.saml.clock_skew'],
  };
}

function rulesOf(config: Values) {
  return {
    idClaim,
    source: 'saml',
    validate: config['auth.saml.validate_attributes'] ?? {},
    defaultGroups: config['auth.saml.default_initial_groups'],
    groupClaims: config['auth.saml.initial_groups_attribute'],
    nameClaims: config['auth.saml.friendly_name_attribute'],
    emailClaims: config['auth.saml.email_attribute'],
    persistName: config['auth.saml.persist_friendly_name'],
  };
}

/** @throws SrvError `config`. */
function certificatesIn(file: string): string[] {
  try {
    const found = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (found.length === 0) throw new Error('has no certificate as PEM');
    for (const one of found) void new X509Certificate(one);
    return found;
  } catch (error) {
    throw new SrvError('config', `auth.saml.idp_certificate_file: ${file}: ${messageOf(error)}`, { cause: error });
  }
}
