/** `GET /metrics`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type {} from './hapi.js';
import type { Server } from '@hapi/hapi';
import type { Exposition } from './exposition.js';
import type { MetricsRegistry } from './registry.js';

/** @param token callers must bear; `undefined`: everybody may read. */
export function addMetricsPage(server: Server, registry: MetricsRegistry, token: string | undefined): void {
  let exposition: Promise<Exposition> | undefined;
  server.route({
    method: 'GET',
    path: '/metrics',
    options: { plugins: { http: { audit: false } } },
    async handler(request, h) {
      if (token && !bears(request.headers['authorization'], token)) {
        const message = 'metrics are protected here: send Authorization: Bearer and the value of metrics.token';
        return h.response({ message }).code(401).header('WWW-Authenticate', 'Bearer');
      }
      exposition ??= import('./exposition.js').then(loaded => new loaded.Exposition(registry));
      const page = await exposition;
      const response = h.response(await page.text()).type(page.contentType);
      response.charset('');
      return response;
    },
  });
}

/** Takes as long for a wrong token as for the right one. */
function bears(authorization: unknown, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(typeof authorization === 'string' ? authorization : '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
