/** Endpoints as routes of the listener. */
import { jsonResponse, respond } from '@srv/lib-api/http';
import type { Server } from '@hapi/hapi';
import type { Logger } from '@srv/kernel';
import type { Callers } from './callers.js';
import type { Endpoint } from './endpoint.js';
import type {} from './hapi.js';

interface RouteParts {
  readonly callers: Callers;
  readonly log: Logger;
}

export function addEndpoints(server: Server, base: string, endpoints: readonly Endpoint[], { callers, log }: RouteParts): void {
  for (const { method, path, status, open = false, handle } of endpoints) {
    server.route({
      method,
      path: `${base}${path}`,
      options: {
        plugins: { http: { operationId: `authorization${path.replaceAll(/\/?\{\w+\}/g, '').replaceAll('/', '.')}` } },
        ...(method === 'GET'
          ? {}
          : { payload: { parse: true, allow: 'application/json', failAction: 'error', maxBytes: 2 * 1024 * 1024 } }),
        // Nothing of a body is parsed for other callers.
        ext: {
          onPreAuth: {
            method(request, h) {
              if (!open) callers.check(request.headers['authorization']);
              return h.continue;
            },
          },
        },
      },
      async handler(request, h) {
        const query = Object.fromEntries(
          Object.entries(request.query as Record<string, unknown>).map(([name, value]) => [name, String(value)]),
        );
        const params = request.params as Record<string, string>;
        const body = await handle({ params, query, body: request.payload });
        if (method !== 'GET')
          log.info(
            { request_id: String(request.raw.res.getHeader('x-request-id')), method, path, ...params },
            'identity changed by a client of the service',
          );
        return !body ? respond(h, { status }) : respond(h, jsonResponse(status, body));
      },
    });
  }
}
