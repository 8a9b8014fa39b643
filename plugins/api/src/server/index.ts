/** The plugin: routes of the API on the common listener. */
import { readFileSync } from 'node:fs';
import { SrvError, definePlugin, kernelConfig } from '@srv/kernel';
import { runsActions } from '@srv/catalog/action-files';
import apiConfig from '../config.js';
import { basePath, operationList } from '../operations/index.js';
import { clearedCookie } from '../session.js';
import { describeApi } from './openapi.js';
import { createRoutes } from './routes.js';
import type {} from '@srv/http/contract';
import type {} from '@srv/catalog/contract';
import type {} from '@srv/auth/contract';
import type {} from '@srv/import/contract';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };

/** Table catalogues are another product's; its clients expect this status rather than a page. */
const elsewhere = ['/iceberg/api/{rest*}', '/iceberg/relative_to/{rest*}', '/mds/iceberg/api/{rest*}'];

export default definePlugin({
  name: 'api',
  apply(kernel) {
    kernel.hooks.routes.tapPromise('api', async server => {
      const { services, hooks } = kernel;
      const config = kernel.config.values(kernelConfig.keys);
      const defaultNamespacePrefix = config['blockstore.default_namespace_prefix'];
      const auth = services.get('auth');
      const http = services.get('http');
      const facts = {
        version,
        allowInterRegionStorage: kernel.config.values(apiConfig.keys)['installation.allow_inter_region_storage'],
        signingKey: config['blockstore.signing.secret_key'],
        runsActions: () => runsActions(hooks),
        ...(defaultNamespacePrefix ? { defaultNamespacePrefix } : {}),
      };
      http.announceInstallation(auth.installationId);
      const { framework, direct } = createRoutes(
        operationList,
        {
          hooks,
          catalog: services.get('catalog'),
          imports: services.find('imports'),
          auth,
          block: services.get('block'),
          http,
          facts,
          log: kernel.log.child({ service: 'api' }),
        },
        basePath,
      );
      server.route([...framework]);
      for (const route of direct) http.addDirectRoute(route);
      server.route({
        method: '*',
        path: `${basePath}/{rest*}`,
        options: { payload: { parse: false, output: 'stream' } },
        handler: () => {
          throw new SrvError('not_found', 'invalid API endpoint');
        },
      });
      const document = describeApi(operationList, version);
      server.route({ method: 'GET', path: '/openapi.json', handler: (_request, h) => h.response(document).type('application/json') });
      server.route({
        method: '*',
        path: '/logout',
        options: { payload: { parse: false, output: 'stream' } },
        handler: (_request, h) =>
          h
            .redirect(auth.login.logoutRedirectUrl)
            .code(307)
            .header('Set-Cookie', clearedCookie({ domain: auth.login.cookieDomain, secure: server.info.protocol === 'https' })),
      });
      server.route(
        elsewhere.map(path => ({
          method: '*' as const,
          path,
          options: { payload: { parse: false, output: 'stream' as const } },
          handler: () => {
            throw new SrvError('unsupported', 'Not Implemented');
          },
        })),
      );
    });
  },
});
