/** The server itself in this process: chosen plugins of the workspace on embedded storage in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kernel } from '@srv/kernel';
import { spent } from '@srv/kernel/testing';
import type { InlinePlugin } from '@srv/kernel';

/** What answers requests, and the engine below on embedded storage. */
const usual = ['http', 'auth', 'api', 'kv-local', 'block-local', 'engine'];

export interface SrvOptions {
  /** Names of further plugin folders of the workspace. */
  readonly plugins?: readonly string[];
  readonly inline?: readonly InlinePlugin[];
  /** Configuration values, stronger than those set here. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface RunningSrv {
  readonly url: string;
  readonly kernel: Kernel;
  /** Temporary folder of the server; `outside` in it may be imported from. */
  readonly folder: string;
  /** Of the administrator. */
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a server on a free port of the loopback interface. The caller stops it. */
export async function startSrv({ plugins = [], inline = [], config = {} }: SrvOptions = {}): Promise<RunningSrv> {
  const folder = await mkdtemp(join(tmpdir(), 'srv-server-'));
  const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const settings = {
    listen_address: '127.0.0.1:0',
    'database.type': 'local',
    'database.local.path': join(folder, 'kv'),
    'blockstore.type': 'local',
    'blockstore.local.path': join(folder, 'block'),
    'blockstore.local.import_enabled': true,
    'blockstore.local.allowed_external_prefixes': join(folder, 'outside'),
    'blockstore.signing.secret_key': 'a secret for tests',
    'committed.warm_up': false,
    'committed.local_cache.dir': join(folder, 'cache'),
    'auth.encrypt.secret_key': 'another secret for tests',
    'installation.user_name': 'admin',
    'installation.access_key_id': key.accessKeyId,
    'installation.secret_access_key': key.secretAccessKey,
    ...config,
  };
  const kernel = new Kernel({
    part: 'server',
    places: { paths: [...usual, ...plugins].map(name => fileURLToPath(new URL(`../../../../plugins/${name}`, import.meta.url))) },
    inline,
    switches: {},
    env: {},
    overrides: Object.entries(settings).map(([name, raw]) => ({ key: name, raw, source: 'startSrv' })),
  });
  const stop = async (): Promise<void> => {
    await kernel.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await spent('servers', async () => (await (await kernel.load()).configure()).start());
    // Types of the listener belong to a plugin, which this tool does not depend on.
    const http = (kernel.services as { get(name: string): unknown }).get('http') as { address(): { readonly url: string } };
    return { url: http.address().url, kernel, folder, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
