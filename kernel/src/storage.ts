/** The two stores every installation has: which drivers open them is configuration. */
import { SrvError } from './errors.js';
import { list, text } from './config/keys.js';
import { defineConfig } from './plugin.js';
import type { Config } from './config/config.js';
import type { KvStore } from './contracts/kv.js';
import type { Hooks } from './hooks.js';
import type { Services } from './services.js';

const kvTypes = ['postgres', 'dynamodb', 'cosmosdb', 'local'];
const blockTypes = ['local', 's3', 'gs', 'azure', 'mem'];

/** Keys the kernel itself reads. */
export const kernelConfig = defineConfig({
  plugin: 'kernel',
  keys: {
    'database.type': text({
      values: kvTypes,
      required: true,
      defaultText: '-',
      meaning: 'Key-value store of repositories, branches and uncommitted entries',
    }),
    'blockstore.type': text({ values: blockTypes, required: true, meaning: 'Block store that holds the objects' }),
    'blockstore.default_namespace_prefix': text({ meaning: 'Beginning of storage namespaces that the web page offers' }),
    'blockstore.signing.secret_key': text({ required: true, secret: true, meaning: 'Random string that signs physical addresses' }),
    'plugins.disabled': list({ default: [], hidden: true, meaning: 'Plugins to leave out' }),
    'plugins.enabled': list({ default: [], hidden: true, meaning: 'When not empty, the only plugins to run' }),
    'plugins.paths': list({ default: [], hidden: true, meaning: 'Folders of further plugins' }),
  },
});

/**
 * Opens the key-value store through its hook.
 * @throws SrvError `config` when no enabled plugin serves the configured type.
 */
export async function openKvStore(config: Config, hooks: Hooks): Promise<KvStore> {
  const type = config.values(kernelConfig.keys)['database.type'];
  const kv = await hooks.openKvStore.get(type)?.promise(config);
  if (kv) return kv;
  throw noDriver('database.type', 'key-value', `kv-${type}`);
}

/** Opens both stores through their hooks and lets `stores` see them. @throws SrvError `config` as {@link openKvStore}. */
export async function openStores(config: Config, hooks: Hooks): Promise<Pick<Services, 'kv' | 'block'>> {
  const blockType = config.values(kernelConfig.keys)['blockstore.type'];
  const kv = await openKvStore(config, hooks);
  try {
    const block = await hooks.openBlockStore.get(blockType)?.promise(config);
    if (!block) throw noDriver('blockstore.type', 'block', `block-${blockType}`);
    return hooks.stores.call({ kv, block });
  } catch (error) {
    await kv.close();
    throw error;
  }
}

function noDriver(key: string, store: string, plugin: string): SrvError {
  const type = plugin.slice(plugin.indexOf('-') + 1);
  return new SrvError('config', `${key}: no enabled plugin opens a ${type} ${store} store; enable ${plugin} or choose another type`);
}
