/** A server as it is in service: the real engine on embedded storage in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import authOperations from '@srv/auth/operations';
import { createClient } from '@srv/engine/client';
import { Kernel, definePlugin } from '@srv/kernel';
import { spent } from '@srv/kernel/testing';
import { featureFolders } from './operations.js';
import { adminKey } from './server.js';
import { signingStore } from './signing-store.js';
import type { Client, ClientOptions } from '@srv/engine/client';

const faces = ['http', 'auth', 'api'];
const engine = ['kv-local', 'block-local', 'block-mem', 'engine'];
const plugin = (name: string): string => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

export interface WholeServer {
  readonly url: string;
  readonly folder: string;
  readonly kernel: Kernel;
  readonly admin: Client;
  client(options?: Partial<ClientOptions>): Client;
  stop(): Promise<void>;
}

interface WholeServerOptions {
  readonly mode?: 'none' | 'internal';
  /** `signing`: keeps everything in memory and signs URLs that lead nowhere. */
  readonly store?: 'local' | 'mem' | 'signing';
  /** False: nothing imports. */
  readonly imports?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function startWholeServer({
  mode = 'none',
  store = 'local',
  imports = true,
  settings = {},
}: WholeServerOptions = {}): Promise<WholeServer> {
  const folder = await mkdtemp(join(tmpdir(), 'srv-api-'));
  const signing = definePlugin({
    name: 'block-signing',
    apply(kernel) {
      kernel.hooks.openBlockStore.for('s3').tapPromise('block-signing', async settings => {
        const store = await kernel.hooks.openBlockStore.for('mem').promise(settings);
        return store && signingStore(store);
      });
    },
  });
  const values = {
    listen_address: '127.0.0.1:0',
    'database.type': 'local',
    'database.local.path': join(folder, 'kv'),
    // No plugin of this server opens such stores: ours does.
    'blockstore.type': store === 'signing' ? 's3' : store,
    'blockstore.local.path': join(folder, 'block'),
    'blockstore.local.import_enabled': true,
    'blockstore.local.allowed_external_prefixes': join(folder, 'outside'),
    'blockstore.signing.secret_key': 'some-secret',
    'committed.warm_up': false,
    'committed.local_cache.dir': join(folder, 'cache'),
    'auth.encrypt.secret_key': 'test-secret',
    'auth.ui_config.rbac': mode,
    'installation.user_name': 'admin',
    'installation.access_key_id': adminKey.accessKeyId,
    'installation.secret_access_key': adminKey.secretAccessKey,
    ...settings,
  };
  const kernel = new Kernel({
    part: 'server',
    places: { paths: [...faces, ...engine, ...(imports ? ['import'] : [])].map(plugin).concat(featureFolders) },
    inline: [{ plugin: signing }],
    switches: {},
    env: {},
    overrides: Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'test' })),
  });
  await kernel.load();
  await kernel.configure();
  await spent('servers', () => kernel.start());
  const { url } = kernel.services.get('http').address();
  const clients: Client[] = [];
  const client = (options: Partial<ClientOptions> = {}): Client => {
    const made = createClient({ endpointUrl: url, retries: { enabled: false }, operations: authOperations, ...options });
    clients.push(made);
    return made;
  };
  return {
    url,
    folder,
    kernel,
    admin: client(adminKey),
    client,
    async stop() {
      for (const made of clients) made.close();
      await kernel.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
