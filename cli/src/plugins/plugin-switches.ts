/**
 * The plugins that are named and switched by `plugins.*`: in variables, else in the configuration file of the user's or the
 * machine's server. One in the working folder does not count: that folder may be a download, and what it names would run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { installedConfigFiles } from '@srv/config/file-places';
import { envName, kernelConfig, keyNames, messageOf } from '@srv/kernel';
import type { ConfigEntry, Switches } from '@srv/kernel';

export interface PluginSwitches extends Switches {
  /** Folders of single packages. */
  readonly paths: readonly string[];
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Called for what is ignored. */
  readonly warn: (line: string) => void;
}

const { keys } = kernelConfig;
const names = ['plugins.disabled', 'plugins.enabled', 'plugins.paths'] as const;

type Name = (typeof names)[number];

export async function readPluginSwitches({ env, home, warn }: Place): Promise<PluginSwitches> {
  const inFile = await fileEntries(home, warn);
  const [disabled, enabled, paths] = names.map(name => {
    const entries = [...inFile.filter(({ key }) => key === name), ...inVariable(name, env)];
    return decoded(name, entries.at(-1), warn);
  });
  return { disabled: disabled ?? [], enabled: enabled ?? [], paths: paths ?? [] };
}

function inVariable(key: string, env: Place['env']): ConfigEntry[] {
  const source = envName(key);
  const raw = env[source];
  return raw === undefined || raw === '' ? [] : [{ key, raw, source }];
}

async function fileEntries(home: string, warn: Place['warn']): Promise<ConfigEntry[]> {
  const file = installedConfigFiles(home).find(({ path }) => existsSync(path));
  if (file === undefined) return [];
  try {
    const text = readFileSync(file.path, 'utf8');
    // The reader of YAML is not loaded for the many files that say nothing of plugins.
    if (!/plugins/i.test(text)) return [];
    const { yamlEntries } = await import('@srv/config/yaml-entries');
    const entries = yamlEntries(text, file.label, { names: keyNames(keys), keys });
    return entries.map(entry => (entry.key === 'plugins.paths' ? absolutePaths(entry, warn) : entry));
  } catch (error) {
    warn(`plugins.paths and plugins.disabled of ${file.label} are ignored: ${messageOf(error)}`);
    return [];
  }
}

/** `cli` runs in other folders than the server. */
function absolutePaths(entry: ConfigEntry, warn: Place['warn']): ConfigEntry {
  if (!Array.isArray(entry.raw)) return entry;
  const relative = entry.raw.filter(path => typeof path === 'string' && !isAbsolute(path));
  if (relative.length > 0)
    warn(
      `${relative.join(', ')} of plugins.paths (${entry.source}) is found by the server alone: give its absolute path to find it here, too`,
    );
  return { ...entry, raw: entry.raw.filter(path => !relative.includes(path)) };
}

function decoded(name: Name, entry: ConfigEntry | undefined, warn: Place['warn']): readonly string[] {
  if (entry === undefined) return [];
  try {
    return keys[name].decode(entry.raw);
  } catch (error) {
    warn(`${entry.source} is ignored: ${messageOf(error)}`);
    return [];
  }
}
