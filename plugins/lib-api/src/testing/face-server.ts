/** A real server on embedded storage in a folder of its own, for tests of faces. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kernel } from '@srv/kernel';
import { spent } from '@srv/kernel/testing';

const plugins = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');
const always = ['config', 'logging', 'http', 'kv-local', 'block-local', 'engine', 'auth', 'api'];

export const faceKey = { accessKeyId: 'AKIAJTESTTESTTESTTEQ', secretAccessKey: 'secret/of+the+tests/which+is+40+letters0' };
/** As the header `Authorization` carries it. */
export const basicOf = ({ accessKeyId, secretAccessKey }: typeof faceKey): string =>
  `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;

interface FaceServerOptions {
  /** Names of further plugins: the face under test. */
  readonly plugins: readonly string[];
  /** Configuration by key. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Called before it starts. */
  readonly prepare?: (kernel: Kernel) => void;
}

export interface FaceServer {
  readonly kernel: Kernel;
  /** Of the listener, without slash at its end. */
  readonly url: string;
  readonly home: string;
  stop(): Promise<void>;
}

export async function startFaceServer({ plugins: more, values = {}, prepare }: FaceServerOptions): Promise<FaceServer> {
  const home = mkdtempSync(join(tmpdir(), 'face-'));
  const overrides = {
    listen_address: '127.0.0.1:0',
    'logging.level': 'ERROR',
    'database.local.path': join(home, 'metadata'),
    'blockstore.local.path': join(home, 'block'),
    'committed.warm_up': false,
    'committed.local_cache.dir': join(home, 'cache'),
    'installation.user_name': 'admin',
    'installation.access_key_id': faceKey.accessKeyId,
    'installation.secret_access_key': faceKey.secretAccessKey,
    ...values,
  };
  const kernel = new Kernel({
    part: 'server',
    places: { builtIn: [plugins], modules: [] },
    switches: { enabled: [...always, ...more] },
    flags: { 'local-settings': true },
    env: { HOME: home },
    home,
    cwd: home,
    overrides: Object.entries(overrides).map(([key, raw]) => ({ key, raw, source: 'test' })),
  });
  await kernel.load();
  prepare?.(kernel);
  await kernel.configure();
  await spent('servers', () => kernel.start());
  const http = kernel.services.get('http' as never) as { address(): { readonly url: string } };
  return {
    kernel,
    url: http.address().url,
    home,
    async stop() {
      await kernel.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
