/** The plugin: routes of the API on the common listener. */
import { readFileSync } from 'node:fs';
import { runsActions } from '@srv/engine/objects/action-files';
import engineOperations from '@srv/engine/operations';
import { SrvError, definePlugin } from '@srv/kernel';
import { OperationList, basePath, clearedCookies } from '@srv/lib-api';
import section from '../config.js';
import { EmptySegments } from './empty-segments.js';
import { describeApi } from './openapi.js';
import { createRoutes } from './routes.js';
import type { ServerRoute } from '@hapi/hapi';
import type { DirectRoute } from '@srv/http/contract';
import type { AnyOperation } from '@srv/lib-api';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };

/** Without the plugin `iceberg`, clients of table catalogs expect this status rather than a page. */
const icebergPaths = ['/iceberg/api/{rest*}', '/iceberg/relative_to/{rest*}', '/mds/iceberg/api/{rest*}'];

export default definePlugin({
  name: 'api',
  apply(kernel) {
    const { services, hooks } = kernel;
    hooks.operations.tap('api', table => table.add('api', engineOperations));
    hooks.start.tap('api', () => {
      const config = kernel.config.values(section.keys);
      const defaultNamespacePrefix = config['blockstore.default_namespace_prefix'];
      services.provide('api', {
        version,
        release: () => hooks.release.call({ version }),
        count: activity => hooks.activity.call(activity),
        allowInterRegionStorage: config['installation.allow_inter_region_storage'],
        signingKey: config['blockstore.signing.secret_key'],
        runsActions: () => runsActions(hooks),
        defaultNamespacePrefix: defaultNamespacePrefix || undefined,
      });
    });
    let directRoutes: readonly DirectRoute[] = [];
    hooks.directRoute.tap('api', add => directRoutes.forEach(add));
    hooks.routes.tapPromise('api', async server => {
      const http = services.get('http');
      const identity = services.get('identity');
      const { session } = identity;
      const table = new OperationList();
      hooks.operations.call(table);
      const operations = table.list();
      const emptySegments = new EmptySegments(operations);
      directRoutes = createRoutes(
        operations,
        {
          services,
          identity,
          http,
          log: kernel.log,
          count: activity => hooks.activity.call(activity),
        },
        basePath,
      );
      server.route({
        method: '*',
        path: `${basePath}/{rest*}`,
        options: { payload: { parse: false, output: 'stream' } },
        handler: ({ raw, method }) => {
          const path = (raw.req.url ?? '').split('?', 1)[0] ?? '';
          const missing = emptySegments.missingParameter(method.toUpperCase(), path.slice(basePath.length));
          if (missing === undefined) throw new SrvError('not_found', 'invalid API endpoint');
          throw new SrvError('invalid', `parameter "${missing}" in path has an error: value is required but missing`);
        },
      });
      server.route(documentRoute(operations));
      server.route({
        method: '*',
        path: '/logout',
        options: { payload: { parse: false, output: 'stream' } },
        handler({ query }, h) {
          const response = h.redirect(relativeRedirect(session?.logoutRedirectUrl ?? '/', 'relative' in query)).code(307);
          const { installationId } = identity;
          const secure = server.info.protocol === 'https';
          for (const line of clearedCookies({ domain: session?.cookieDomain ?? '', secure, installationId }))
            response.header('Set-Cookie', line, { append: true });
          return response;
        },
      });
      server.route(
        icebergPaths.map(path => ({
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

/** The document is made when it is asked for first. */
function documentRoute(operations: readonly AnyOperation[]): ServerRoute {
  let document: ReturnType<typeof describeApi> | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    async handler(_request, h) {
      document ??= describeApi(operations, version);
      return h.response(await document).type('application/json');
    },
  };
}

/** @param relative seen from an address at the root: the caller knows that a proxy may have put the server below a prefix. */
function relativeRedirect(address: string, relative: boolean): string {
  return relative && /^\/(?!\/)/.test(address) ? `.${address}` : address;
}
