/** A real server on embedded storage in a folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kernel } from '@srv/kernel';
import { filesBelow, spent } from '@srv/kernel/testing';
import { chosenTransport, openTransport, tlsSettings, transports } from './transport.js';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type {} from '@srv/http/contract';
import type { Services } from '@srv/kernel';
import type { Relay, TransportName } from './transport.js';

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export const accessKeyId = 'AKIAJTESTTESTTESTTEQ';
export const secretAccessKey = 'secret/of+the+tests/which+is+40+letters0';

export interface TestServer {
  readonly kernel: Kernel;
  /** Of the server or, for another transport than `clear`, of the relay to it: always `http:`. */
  readonly url: string;
  readonly port: number;
  /** Where clients believe to be: the scheme is the server's. */
  readonly origin: string;
  readonly home: string;
  /** A further way to the server; it is closed with the server. @returns the port. */
  over(transport: TransportName): Promise<number>;
  stop(): Promise<void>;
}

const plugins = ['config', 'logging', 'metrics', 'http', 'kv-local', 'block-local', 'engine', 'auth', 'api', 'gateway-s3'];

type Stores = Pick<Services, 'kv' | 'block'>;

/**
 * @param values further configuration, by key.
 * @param over makes the stores the server works with of its own.
 * @param more plugins.
 * @param folders beside the refs, as a plugin adds them.
 */
export async function startServer(
  values: Readonly<Record<string, unknown>> = {},
  over?: (own: Stores) => Stores,
  more: readonly string[] = [],
  folders: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const transport = chosenTransport();
  const home = mkdtempSync(join(tmpdir(), 'gateway-s3-'));
  const overrides = {
    listen_address: '127.0.0.1:0',
    'logging.level': 'ERROR',
    'database.local.path': join(home, 'metadata'),
    'blockstore.local.path': join(home, 'block'),
    'committed.warm_up': false,
    'committed.local_cache.dir': join(home, 'cache'),
    'gc.cache_dir': join(home, 'gc'),
    'installation.user_name': 'admin',
    'installation.access_key_id': accessKeyId,
    'installation.secret_access_key': secretAccessKey,
    'gateways.s3.domain_name': 's3.localhost',
    ...(transports[transport].tls ? tlsSettings : {}),
    ...values,
  };
  const kernel = new Kernel({
    part: 'server',
    places: { builtIn: [join(packageFolder, '..')], modules: [] },
    switches: { enabled: [...plugins, ...more] },
    flags: { 'local-settings': true },
    env: { HOME: home },
    home,
    cwd: home,
    overrides: Object.entries(overrides).map(([key, raw]) => ({ key, raw, source: 'test' })),
  });
  await kernel.load();
  if (over) kernel.hooks.stores.tap('test', over);
  kernel.hooks.gatewayFolder.tap('test', add => {
    for (const [name, folder] of Object.entries(folders)) add(name, folder);
  });
  await kernel.configure();
  await spent('servers', () => kernel.start());
  const { url, port: ownPort } = kernel.services.get('http').address();
  const relays: Relay[] = [];
  const open = async (name: TransportName): Promise<number> => {
    const relay = await openTransport(name, ownPort);
    relays.push(relay);
    return relay.port;
  };
  const port = await open(transport);
  return {
    kernel,
    url: `http://127.0.0.1:${port}`,
    port,
    origin: `${new URL(url).protocol}//127.0.0.1:${port}`,
    home,
    over: open,
    async stop() {
      await Promise.all(relays.map(relay => relay.close()));
      await kernel.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Creates a repository of that name. */
export async function createRepository({ kernel }: TestServer, id: string, options: { readOnly?: boolean } = {}): Promise<void> {
  await kernel.services.get('engine').createRepository({ id, storageNamespace: `local://${id}`, ...options });
}

/** Files of objects and parts in the block store, without committed metadata. */
export function storedFiles({ home }: TestServer): string[] {
  return filesBelow(home)
    .map(path => `/${path}`)
    .filter(name => /\/data\/|\.srv-uploads\//.test(name));
}
