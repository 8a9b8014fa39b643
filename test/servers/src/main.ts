/**
 * `node test/servers/dist/src/main.js NAME`: starts a server on a free port, prints in one line of JSON where it is,
 * by which variables `srv` uses it and its process id, and runs until it receives a signal to end.
 */
import { servers } from './servers.js';

const name = process.argv[2] ?? '';
const start = servers.get(name);
if (!start) {
  process.stderr.write(`${JSON.stringify(name)} is not a test server; there are ${[...servers.keys()].join(', ')}\n`);
  process.exit(1);
}
// From the first moment on, so that ending it while it starts leaves nothing behind.
const ended = new Promise<void>(resolve => {
  // Some servers run in processes of their own and give this one nothing to wait for.
  setInterval(() => undefined, 2 ** 30);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
});
try {
  const { url, env, namespace, close } = await start();
  process.stdout.write(`${JSON.stringify({ name, url, pid: process.pid, env, ...(namespace === undefined ? {} : { namespace }) })}\n`);
  await ended;
  await close();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
