/**
 * Child process of the benchmark `api`: serves what the first argument names, and reports its port.
 * `srv <folder>`: the whole server; takes commands. `empty`: a hapi route that knows its caller and nothing else.
 * `files <folder>`: a bare file server that hashes what it is sent.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { identifierType } from '@srv/lib-stores/block';
import { repositoryRoot } from '../repository-root.js';
import { authorization } from './api-load.js';
import { serveBareFiles } from './bare-files.js';
import { startServer } from './bench-kernel.js';
import type {} from '@srv/engine/contract';

const [kind = '', folder = ''] = process.argv.slice(2);
const parallel = 500;

const servers: Readonly<Record<string, () => Promise<number>>> = { srv: serveAll, empty: serveEmpty, files: serveFiles };
const serve = servers[kind];
if (!serve) throw new Error(`${JSON.stringify(kind)} is not one of ${Object.keys(servers).join(', ')}`);
process.on('disconnect', () => process.exit());
process.send?.({ port: await serve() });

async function serveAll(): Promise<number> {
  const { kernel, port } = await startServer(folder);
  const engine = kernel.services.get('engine');
  // Staging through the network would take longer than what is measured.
  process.on('message', async ({ stage }: { stage: number }) => {
    const repository = await engine.getRepository('bench');
    for (let done = 0; done < stage; done += parallel) {
      await Promise.all(
        Array.from({ length: Math.min(parallel, stage - done) }, (_, i) =>
          engine.stageEntry(repository, 'large', `data/part-${String(done + i).padStart(8, '0')}`, {
            address: `local:///outside/${done + i}`,
            addressType: identifierType.full,
            size: 1000,
            etag: 'd41d8cd98f00b204e9800998ecf8427e',
          }),
        ),
      );
    }
    process.send?.({ staged: stage });
  });
  return port;
}

/** The parts of the framework that the empty route needs. */
interface Framework {
  server(options: object): {
    readonly info: { readonly port: number };
    readonly auth: {
      scheme(name: string, make: () => { authenticate(request: FrameworkRequest, h: FrameworkToolkit): unknown }): void;
      strategy(name: string, scheme: string): void;
    };
    route(route: object): void;
    start(): Promise<void>;
  };
}
interface FrameworkRequest {
  readonly headers: Readonly<Record<string, string>>;
}
interface FrameworkToolkit {
  authenticated(result: object): unknown;
  unauthenticated(error: Error): unknown;
}

/** Of the same version as the server's: its own copy. */
async function serveEmpty(): Promise<number> {
  const { server: createHapi } = createRequire(resolve(repositoryRoot, 'plugins', 'http', 'package.json'))('@hapi/hapi') as Framework;
  const expected = createHash('sha256').update(authorization).digest();
  const server = createHapi({ host: '127.0.0.1', port: 0 });
  server.auth.scheme('known', () => ({
    authenticate(request, h) {
      const given = createHash('sha256').update(String(request.headers.authorization)).digest();
      return timingSafeEqual(given, expected) ? h.authenticated({ credentials: { user: 'bench' } }) : h.unauthenticated(new Error('no'));
    },
  }));
  server.auth.strategy('known', 'known');
  server.route({ method: 'GET', path: '/', options: { auth: 'known' }, handler: () => ({}) });
  await server.start();
  return server.info.port;
}

function serveFiles(): Promise<number> {
  return serveBareFiles(() => join(folder, 'bare'));
}
