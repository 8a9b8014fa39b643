/** `GET /metrics`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from '@hapi/hapi';
import type { PeerProcesses } from '@srv/kernel';
import type { Exposition, Numbers } from './exposition.js';
import type {} from './hapi.js';
import type { MetricsRegistry } from './registry.js';

/** What servers that run as one ask one another, and milliseconds that they wait for it. */
const topic = 'metrics';
const peerTimeoutMs = 5_000;

interface MetricsPageOptions {
  /** Callers must bear it; absent: everybody may read. */
  readonly token: string | undefined;
  /** Their numbers are shown together with this server's. */
  readonly peers: PeerProcesses | undefined;
}

export function addMetricsPage(server: Server, registry: MetricsRegistry, { token, peers }: MetricsPageOptions): void {
  let exposition: Promise<Exposition> | undefined;
  const loaded = (): Promise<Exposition> => {
    exposition ??= import('./exposition.js').then(module => new module.Exposition(registry));
    return exposition;
  };
  peers?.handle(topic, async () => (await loaded()).numbers());
  server.route({
    method: 'GET',
    path: '/metrics',
    options: { plugins: { http: { audit: false } } },
    async handler(request, h) {
      if (token && !bears(request.headers['authorization'], token)) {
        const message = 'metrics are protected here: send Authorization: Bearer and the value of metrics.token';
        return h.response({ message }).code(401).header('WWW-Authenticate', 'Bearer');
      }
      const page = await loaded();
      const others = (await peers?.request(topic, peerTimeoutMs)) as readonly Numbers[] | undefined;
      const response = h.response(await page.text(others)).type(page.contentType);
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
