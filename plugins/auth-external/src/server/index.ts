/** The plugin: `auth.ui_config.rbac: external`. */
import { SrvError, definePlugin } from '@srv/kernel';
import { sharedCache } from '@srv/kernel/cache';
import { followRequests } from '@srv/lib-api/http';
import { LoginLimits, Sessions, SignIns, createIdentity, installationId } from '@srv/lib-auth';
import { decodeUser, mintServiceToken, plainUser, wireUser } from '@srv/lib-auth/authorization';
import section from '../config.js';
import { createRemoteAccounts } from './accounts.js';
import { createRemoteAuth } from './auth-service.js';
import { ServiceClient } from './service-client.js';
import { RemoteUserDirectory } from './user-directory.js';
import type {} from '@srv/auth/contract';
import type { Identity, PluginKernel } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';

export default definePlugin({
  name: 'auth-external',
  apply(kernel) {
    const { hooks, services } = kernel;
    let service: ServiceClient | undefined;
    hooks.openIdentity.for('external').tapPromise('auth-external', () => {
      service = openService(kernel);
      return openExternal(kernel, service);
    });
    hooks.start.tap('auth-external', () => {
      const config = kernel.config.values(section.keys);
      if (!service) {
        if (config['auth.api.endpoint'])
          kernel.log.warn({}, 'auth.api.endpoint has no effect: it is used when auth.ui_config.rbac is external');
        return;
      }
      if (config['auth.api.supports_invites'] && !services.find('invitations')) services.provide('invitations', invitationsOf(service));
    });
  },
});

function openService({ config, services }: PluginKernel): ServiceClient {
  const values = config.values(section.keys);
  const token = values['auth.api.token'] || mintServiceToken(services.get('identitySettings').secretKey);
  return new ServiceClient({ endpoint: values['auth.api.endpoint'] ?? '', token, timeout: values['auth.api.request_timeout'] });
}

async function openExternal({ config, hooks, services }: PluginKernel, service: ServiceClient): Promise<Identity> {
  const values = config.values(section.keys);
  const { secretKey, cache, login } = services.get('identitySettings');
  const kv = services.get('kv');
  if (!values['auth.api.skip_health_check']) await service.untilHealthy(values['auth.api.health_check_timeout']);
  followRequests();
  const cacheOf = (name: string): CacheOptions => sharedCache(cache, services.find('peers'), name);
  const directory = new RemoteUserDirectory(service, cacheOf);
  const { duration, maxDuration } = login;
  const sessions = new Sessions({ kv, partition: 'auth', directory, secretKey, cache: cacheOf('session epochs'), duration, maxDuration });
  const signIns = new SignIns(directory, new LoginLimits(), cacheOf('sign-ins'), add => hooks.signIn.call(add));
  const id = await installationId(kv);
  const identity = createIdentity({ directory, sessions, signIns, rbac: 'external', session: login, installationId: id });
  const { visibility } = identity;
  services.provide('auth', createRemoteAuth({ service, directory, sessions, signIns, login, installationId: id, visibility }));
  services.provide('accounts', createRemoteAccounts({ service, directory, sessions, signIns, secretKey }));
  return { ...identity, close: async () => service.close() };
}

/** Without anything around the address, and without a second one. */
const bareAddress = /^[^\s<>()",:;@]+@[^\s<>()",:;@]+$/;

function invitationsOf(service: ServiceClient) {
  return {
    resetsPasswords: false,
    async invite(address: string) {
      const email = address.toLowerCase();
      // What the service reads out of other text may be another name than the one that permissions were checked for.
      if (!bareAddress.test(email))
        throw new SrvError(
          'invalid',
          `Invalid email format: ${JSON.stringify(email.slice(0, 100))} must be the address alone, such as ann@example.com`,
        );
      const body = { username: email, email, invite: true };
      return plainUser(decodeUser(await service.read(wireUser, { method: 'POST', path: ['auth', 'users'], expect: 201, body })));
    },
  };
}
