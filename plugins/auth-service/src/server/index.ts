/** The plugin: routes of the service, where it is switched on. */
import { SrvError, definePlugin } from '@srv/kernel';
import section from '../config.js';
import { Callers } from './callers.js';
import { endpoints } from './endpoints.js';
import { addEndpoints } from './routes.js';
import type { Server } from '@hapi/hapi';
import type {} from '@srv/auth/contract';

export default definePlugin({
  name: 'auth-service',
  apply(kernel) {
    const { hooks, services } = kernel;
    hooks.routes.tapPromise('auth-service', async server => {
      const config = kernel.config.values(section.keys);
      if (!config['auth.service.enabled']) return;
      const auth = services.get('auth');
      if (!auth.supports('policies'))
        throw new SrvError(
          'config',
          `auth.service.enabled: a server with auth.ui_config.rbac ${auth.mode} has no policies to offer; set it to internal`,
        );
      const callers = new Callers(config['auth.service.token'], services.get('identitySettings').secretKey);
      const parts = { auth, accounts: services.get('accounts'), invitations: () => services.find('invitations') };
      // The framework is the listener's; its plugin is above this one.
      addEndpoints(server as Server, config['auth.service.path'], endpoints(parts), { callers, log: kernel.log });
    });
  },
});
