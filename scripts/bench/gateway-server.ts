/**
 * Child process of the benchmark `gateway`: serves what the first argument names, reports its port, and on any message the
 * most memory it ever had. `srv <folder>`: the server with the S3 gateway. `bare <folder>`: files of a folder by path, hashed
 * and made durable when they are put.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { serveBareFiles } from './bare-files.js';
import { startServer } from './bench-kernel.js';
import type {} from '@srv/engine/contract';

const [kind = '', folder = ''] = process.argv.slice(2);

const servers: Readonly<Record<string, () => Promise<number>>> = { srv: serveAll, bare: serveFiles };
const serve = servers[kind];
if (!serve) throw new Error(`${JSON.stringify(kind)} is not one of ${Object.keys(servers).join(', ')}`);
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.({ peak: process.resourceUsage().maxRSS * 1024 }));
process.send?.({ port: await serve() });

async function serveAll(): Promise<number> {
  const { kernel, port } = await startServer(folder, 'gateway-s3');
  await kernel.services.get('engine').createRepository({ id: 'bench', storageNamespace: 'local://bench' });
  return port;
}

async function serveFiles(): Promise<number> {
  const root = join(folder, 'bare');
  await mkdir(join(root, 'bench', 'main'), { recursive: true });
  return serveBareFiles(target => join(root, target));
}
