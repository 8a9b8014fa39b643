/** `/_health`: answers as soon as the port is open, without asking a backend. */
import type { Server } from '@hapi/hapi';
import type { PeerProcesses } from '@srv/kernel';

interface HealthOptions {
  /** Asked at every request: it becomes known after the listener is created. */
  readonly installationId: () => string | undefined;
  /** What keeps this process from working, a sentence each. */
  readonly problems: () => readonly string[];
  readonly peers: PeerProcesses | undefined;
}

const topic = 'health';
/** Milliseconds that peers may take; late peers do not affect the health of this process. */
const peerTimeoutMs = 1000;

export function addHealthRoute(server: Server, { installationId, problems, peers }: HealthOptions): void {
  peers?.handle(topic, () => Promise.resolve(problems()));
  const allProblems = async (): Promise<readonly string[]> => {
    const own = problems();
    const others = own.length > 0 ? [] : await peers?.request(topic, peerTimeoutMs).catch(() => []);
    return [...own, ...new Set((others as readonly string[][] | undefined)?.flat())];
  };
  server.route({
    method: '*',
    path: '/_health',
    options: { plugins: { http: { audit: false } }, payload: { parse: false, output: 'stream' } },
    handler: async (_request, h) => {
      const found = await allProblems();
      if (found.length > 0) return h.response(found.join('\n')).code(503).type('text/plain');
      const id = installationId();
      return h.response(id === undefined ? 'alive!' : `alive! ${id}`).type('text/plain');
    },
  });
}
