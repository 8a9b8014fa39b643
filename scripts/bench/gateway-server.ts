/**
 * Child process of the benchmark `gateway`: serves what the first argument names, tells its port, and on any message the
 * most memory it ever had. `srv <folder>`: the server with the S3 gateway. `bare <folder>`: files of a folder by path, hashed
 * and made durable when they are put.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type {} from '@srv/catalog/contract';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServer } from './bench-kernel.js';

const [kind = '', folder = ''] = process.argv.slice(2);

const servers: Readonly<Record<string, () => Promise<number>>> = { srv: serveAll, bare: serveFiles };
const serve = servers[kind];
if (!serve) throw new Error(`${JSON.stringify(kind)} is not one of ${Object.keys(servers).join(', ')}`);
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.({ peak: process.resourceUsage().maxRSS * 1024 }));
process.send?.({ port: await serve() });

async function serveAll(): Promise<number> {
  const { kernel, port } = await startServer(folder, 'gateway-s3');
  await kernel.services.get('catalog').createRepository({ id: 'bench', storageNamespace: 'local://bench' });
  return port;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

async function serveFiles(): Promise<number> {
  const root = join(folder, 'bare');
  await mkdir(join(root, 'bench', 'main'), { recursive: true });
  const server = createServer((request, response) => {
    answer(request, response, join(root, request.url ?? '')).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  return listen(server);
}

async function answer(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-length', (await stat(file)).size);
    await pipeline(createReadStream(file), response);
    return;
  }
  const hash = createHash('md5');
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(request, meter, createWriteStream(file, { flush: true }));
  response.writeHead(200, { etag: `"${hash.digest('hex')}"`, 'content-length': 0 }).end();
}
