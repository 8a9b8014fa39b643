/** A kernel of the server's plugins. */
import { Kernel, messageOf } from '@srv/kernel';
import { pluginPlaces } from '../places.js';
import { importModule } from '../plugins/import-module.js';
import { findManifests } from '../plugins/plugin-packages.js';
import { warn } from './warn.js';
import type { ConfigSection, KernelOptions } from '@srv/kernel';
import type { SrvFlags } from './flags.js';

/** Without `localSettings` those of an installation that exists count, where nothing else is configured. */
export function serverKernel({ config, localSettings, quickstart, strict }: SrvFlags, options: Partial<KernelOptions> = {}): Kernel {
  const flags = { config, 'local-settings': localSettings ?? 'existing', quickstart, 'database.local.strict': strict };
  return new Kernel({ part: 'server', places: pluginPlaces(), flags, importModule, ...options });
}

/** A loaded kernel of the plugins of srv itself, whatever is configured and whatever else is installed. */
export function ownPluginsKernel(flags: SrvFlags, options: Partial<KernelOptions> = {}): Promise<Kernel> {
  const { manifests } = findManifests({ ...pluginPlaces(), paths: [] });
  const enabled = manifests.filter(({ origin, entries }) => origin === 'built-in' && entries.server !== undefined).map(({ name }) => name);
  return serverKernel(flags, { ...options, switches: { enabled } }).load();
}

/** What `load` loads. When plugins from elsewhere are broken: those of srv itself, with a warning. */
export async function loadedOrOwn(flags: SrvFlags, load: () => Promise<Kernel>): Promise<Kernel> {
  try {
    return await load();
  } catch (error) {
    const own = await ownPluginsKernel(flags);
    warn(`only the plugins of srv itself are loaded: ${messageOf(error)}`);
    return own;
  }
}

/** For tools whose standard output is read by programs. */
export const quietLog = [
  { key: 'logging.output', raw: '=', source: 'srv' },
  { key: 'logging.level', raw: 'WARN', source: 'srv' },
];

/** Sections of a loaded kernel: those of manifests, and those that plugins add by hook. */
export function declaredSections({ sections, hooks }: Kernel): readonly ConfigSection[] {
  const all = [...sections];
  hooks.configSections.call(section => all.push(section));
  return all;
}
