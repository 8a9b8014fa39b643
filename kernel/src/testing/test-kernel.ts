/** A booted kernel for the tests of a plugin. */
import { SrvError } from '../errors.js';
import { Kernel } from '../kernel.js';
import { definePlugin } from '../plugin.js';
import { MemoryKvStore } from './memory-kv-store.js';
import { spent } from './spent.js';
import type { KvStore } from '../contracts/kv.js';
import type { BlockStore } from '../contracts/open-types.js';
import type { InlinePlugin, KernelOptions } from '../kernel.js';
import type { Plugin } from '../plugin.js';

export interface TestKernelOptions
  extends Pick<KernelOptions, 'places' | 'env' | 'flags' | 'cwd' | 'home' | 'startTimeout' | 'stopTimeout'> {
  /** Applied in dependency order; a bare plugin has neither keys nor requirements. */
  readonly plugins?: readonly (InlinePlugin | Plugin)[];
  /** Configuration values by key, stronger than every source. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Default: a plugin that taps `openKvStore.for('local')`, else a store in memory. */
  readonly kv?: KvStore | undefined;
  /** Default: a plugin that taps `openBlockStore` for the configured type, else a store that refuses every call. */
  readonly block?: BlockStore | undefined;
}

/** What the kernel demands and most tests do not care about. */
const settings: Readonly<Record<string, unknown>> = {
  'database.type': 'local',
  'blockstore.type': 'mem',
};

/**
 * A kernel that has started: plugins applied, configuration read, stores open. The caller stops it. By default it sees neither
 * the environment of the process nor installed plugins.
 * @example
 * const kernel = await createTestKernel({ plugins: [{ plugin: myPlugin, section: myConfig }], config: { 'my.key': 1 } });
 * t.after(() => kernel.stop());
 */
export async function createTestKernel({ plugins = [], config = {}, kv, block, ...options }: TestKernelOptions = {}): Promise<Kernel> {
  const values = { ...settings, ...config };
  const stores = definePlugin({
    name: 'test-stores',
    apply({ hooks }) {
      // Given stores come before those of plugins, the stand-ins after.
      const tap = (given: unknown) => ({ name: 'test-stores', stage: given === undefined ? 1000 : -1000 });
      hooks.openKvStore.for(String(values['database.type'])).tapPromise(tap(kv), async () => kv ?? new MemoryKvStore());
      hooks.openBlockStore.for(String(values['blockstore.type'])).tapPromise(tap(block), async () => block ?? noBlockStore());
    },
  });
  const kernel = new Kernel({
    part: 'server',
    env: {},
    ...options,
    inline: [...plugins.map(p => ('plugin' in p ? p : { plugin: p })), { plugin: stores }],
    overrides: Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'createTestKernel' })),
  });
  return spent('servers', async () => {
    await kernel.load();
    await kernel.configure();
    return kernel.start();
  });
}

/** Stands in for the block store of tests that store no objects. */
function noBlockStore(): BlockStore {
  const refuse = (): never => {
    throw new SrvError('unsupported', 'this test kernel has no block store; pass `block`, or the plugin of a block driver');
  };
  const absent = ['then', 'stores'];
  return new Proxy({} as BlockStore, {
    get: (_, name) =>
      name === 'type' ? 'none' : name === 'close' ? async () => undefined : absent.includes(String(name)) ? undefined : refuse,
  });
}
