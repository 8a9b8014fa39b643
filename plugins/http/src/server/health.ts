/** `/_health`: answers as soon as the port is open and touches nothing. */
import type { Server } from '@hapi/hapi';

/** @param installationId asked at every request: it becomes known after the listener is created. */
export function addHealthRoute(server: Server, installationId: () => string | undefined): void {
  server.route({
    method: '*',
    path: '/_health',
    options: { plugins: { http: { audit: false } }, payload: { parse: false, output: 'stream' } },
    handler: (_request, h) => {
      const id = installationId();
      return h.response(id === undefined ? 'alive!' : `alive! ${id}`).type('text/plain');
    },
  });
}
