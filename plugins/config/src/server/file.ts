/** Finds and reads the configuration file. */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { SrvError, messageOf } from '@srv/kernel';
import { featureOfKey, isFeatureSection } from './feature-keys.js';
import { installedConfigFiles } from './file-places.js';
import { yamlEntries } from './yaml-entries.js';
import type { ConfigEntry, SourceContext } from '@srv/kernel';
import type { FilePlace } from './file-places.js';
import type { KnownKeys } from './yaml-entries.js';

/**
 * The file of `--config`, else the first that exists of `./config.yaml`, `~/srv/config.yaml`, `/etc/srv/config.yaml`
 * and `~/.srv.yaml`.
 * @throws SrvError `config` when the file of `--config` does not exist.
 */
export function findConfigFile({ flags, cwd, home }: Pick<SourceContext, 'flags' | 'cwd' | 'home'>): FilePlace | undefined {
  const explicit = flags.config;
  if (typeof explicit === 'string' && explicit !== '') {
    const path = expandHome(explicit, home, cwd);
    if (!existsSync(path)) throw new SrvError('config', `--config ${explicit}: no such file`);
    return { path, label: explicit };
  }
  const candidates = [{ path: join(cwd, 'config.yaml'), label: 'config.yaml' }, ...installedConfigFiles(home)];
  return candidates.find(({ path }) => existsSync(path));
}

/** @throws SrvError `config` when the file cannot be read or is not a YAML map. */
export function readConfigFile({ path, label }: FilePlace, known: KnownKeys): ConfigEntry[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new SrvError('config', `${label}: the configuration file cannot be read: ${messageOf(error)}`, { cause: error });
  }
  return yamlEntries(text, label, known).flatMap(entry => ofFeature(entry, known));
}

/** Keys of a feature that is not installed are noted; an empty section of such keys is nothing. */
function ofFeature(entry: ConfigEntry, { names }: KnownKeys): ConfigEntry[] {
  if (names.has(entry.key)) return [entry];
  const feature = featureOfKey(entry.key);
  if (feature !== undefined)
    return [{ ...entry, note: `${entry.key} (from ${entry.source}) has no effect: the feature ${feature} is not installed` }];
  return entry.raw === null && isFeatureSection(entry.key) ? [] : [entry];
}

/** Replaces a leading `~` and makes the path absolute. */
export function expandHome(path: string, home: string, cwd: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
  return isAbsolute(expanded) ? expanded : resolve(cwd, expanded);
}
