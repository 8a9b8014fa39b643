/** A server with the real listener, authentication and API, over stores and an engine in memory. */
import { fileURLToPath } from 'node:url';
import authOperations from '@srv/auth/operations';
import { createClient } from '@srv/engine/client';
import { Kernel, definePlugin } from '@srv/kernel';
import { MemoryKvStore, spent } from '@srv/kernel/testing';
import { fakeEngine } from './fake-engine.js';
import { memoryBlock } from './memory-block.js';
import type { Client, ClientOptions } from '@srv/engine/client';
import type { Engine } from '@srv/engine/contract';

const plugin = (name: string): string => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

export const adminKey = { accessKeyId: 'AKIAIOSFOLQUICKSTART', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };

export interface TestServer {
  readonly url: string;
  readonly kernel: Kernel;
  /** Names of the engine's methods in the order they were called. */
  readonly calls: string[];
  readonly admin: Client;
  client(options?: Partial<ClientOptions>): Client;
  stop(): Promise<void>;
}

interface TestServerOptions {
  readonly mode?: 'none' | 'simplified' | 'internal';
  /** False: the installation is not set up. */
  readonly user?: boolean;
  readonly preSign?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function startServer({
  mode = 'none',
  user = true,
  preSign = false,
  settings = {},
}: TestServerOptions = {}): Promise<TestServer> {
  const calls: string[] = [];
  const engine = new Proxy(fakeEngine(), {
    get(target, name: keyof Engine) {
      calls.push(name);
      return target[name];
    },
  });
  const stores = definePlugin({
    name: 'engine',
    apply(kernel) {
      kernel.hooks.openKvStore.for('local').tapPromise('engine', async () => new MemoryKvStore());
      kernel.hooks.openBlockStore.for('mem').tapPromise('engine', async () => memoryBlock(preSign));
      kernel.hooks.start.tapPromise('engine', async () => kernel.services.provide('engine', engine));
    },
  });
  const values = {
    listen_address: '127.0.0.1:0',
    'database.type': 'local',
    'blockstore.type': 'mem',
    'blockstore.signing.secret_key': 'some-secret',
    'auth.encrypt.secret_key': 'test-secret',
    'auth.ui_config.rbac': mode,
    ...(user
      ? {
          'installation.user_name': 'admin',
          'installation.access_key_id': adminKey.accessKeyId,
          'installation.secret_access_key': adminKey.secretAccessKey,
        }
      : {}),
    ...settings,
  };
  const kernel = new Kernel({
    part: 'server',
    places: { paths: ['http', 'auth', 'api'].map(plugin) },
    inline: [{ plugin: stores }],
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
    kernel,
    calls,
    admin: client(adminKey),
    client,
    async stop() {
      for (const made of clients) made.close();
      await kernel.stop();
    },
  };
}
