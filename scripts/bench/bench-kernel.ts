/** A whole server on embedded storage, for the child processes of benchmarks. */
import { join, resolve } from 'node:path';
import { Kernel } from '@srv/kernel';
import { freePort } from '@srv/test-servers';
import { repositoryRoot } from '../repository-root.js';
import { key } from './api-load.js';

const plugins = ['http', 'auth', 'api', 'logging', 'kv-local', 'block-local', 'engine'];

/** @param further plugins in addition to those that every server of a benchmark has. */
export async function startServer(folder: string, ...further: string[]): Promise<{ readonly kernel: Kernel; readonly port: number }> {
  const port = await freePort();
  const values = {
    listen_address: `127.0.0.1:${port}`,
    'database.type': 'local',
    'database.local.path': join(folder, 'kv'),
    'blockstore.type': 'local',
    'blockstore.local.path': join(folder, 'block'),
    'committed.local_cache.dir': join(folder, 'cache'),
    'auth.encrypt.secret_key': 'bench',
    'blockstore.signing.secret_key': 'bench',
    'installation.user_name': 'bench',
    'installation.access_key_id': key.id,
    'installation.secret_access_key': key.secret,
  };
  const kernel = new Kernel({
    part: 'server',
    places: { paths: [...plugins, ...further].map(name => resolve(repositoryRoot, 'plugins', name)) },
    switches: {},
    env: {},
    overrides: Object.entries(values).map(([name, raw]) => ({ key: name, raw, source: 'benchmark' })),
  });
  await kernel.load();
  await kernel.configure();
  await kernel.start();
  return { kernel, port };
}
