/** The plugin: users and groups of an identity provider, where a token is configured. */
import { SrvError, definePlugin } from '@srv/kernel';
import section from '../config.js';
import { createGroupIds, describeRecord } from './group-ids.js';
import { scimGroups } from './groups.js';
import { createNameLocks } from './name-locks.js';
import { addScimRoutes } from './routes.js';
import { scimPartition } from './scim-records.js';
import { createUserAttributes } from './user-attributes.js';
import { scimUsers } from './users.js';
import type { Server } from '@hapi/hapi';
import type {} from '@srv/auth/contract';

export default definePlugin({
  name: 'auth-scim',
  apply(kernel) {
    const { hooks, services, log } = kernel;
    hooks.describeRecord.tap('auth-scim', describeRecord);
    hooks.partitions.tap('auth-scim', (_kv, found) => found(scimPartition));
    hooks.routes.tapPromise('auth-scim', async server => {
      const { 'auth.scim.token': token, 'auth.scim.path': path } = kernel.config.values(section.keys);
      if (!token) return;
      const [auth, provisioning] = [services.get('auth'), services.find('provisioning')];
      if (!provisioning)
        throw new SrvError(
          'config',
          `auth.scim.token: with auth.ui_config.rbac ${auth.mode} the users of another service cannot be provisioned here`,
        );
      const kv = services.get('kv');
      const accounts = services.get('accounts');
      const holding = createNameLocks(kv, log);
      const users = scimUsers({ auth, accounts, provisioning, attributes: createUserAttributes(kv), holding, base: path });
      const groups = auth.supports('groups') ? scimGroups({ auth, accounts, ids: createGroupIds(kv), holding, base: path }) : undefined;
      // The framework is the listener's; its plugin is above this one.
      addScimRoutes(server as Server, { path, token, users, groups, log });
    });
  },
});
