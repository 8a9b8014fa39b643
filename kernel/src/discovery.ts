/** Finds plugin packages by reading manifests only, decides which run, and orders them. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearest } from './config/index.js';
import { SrvError, messageOf } from './errors.js';
import { readManifest } from './manifest.js';
import type { Manifest, Origin } from './manifest.js';

export interface BrokenPlugin {
  readonly folder: string;
  readonly reason: string;
}

export interface Found {
  readonly manifests: readonly Manifest[];
  readonly broken: readonly BrokenPlugin[];
}

/** Where to look: folders whose sub-folders are plugins, `node_modules` folders, and single plugin folders. */
export interface Places {
  readonly builtIn: readonly string[];
  readonly modules: readonly string[];
  readonly paths: readonly string[];
  /** Folders of single packages in `node_modules`, some of which may be plugins. */
  readonly packages?: readonly string[];
}

export interface Switches {
  readonly disabled: readonly string[];
  /** Allow-list; empty: all. */
  readonly enabled: readonly string[];
}

export interface Selection {
  readonly manifest: Manifest;
  /** Absent: enabled. */
  readonly offBecause?: string;
}

/**
 * Reads every manifest once; a package reachable by two ways counts once.
 * @param seen real folders of plugins that were found before and are passed over; those found now are added.
 * @throws SrvError `plugin` for two packages of one name.
 */
export function findPlugins({ builtIn, modules, paths, packages = [] }: Places, seen = new Set<string>()): Found {
  const manifests = new Map<string, Manifest>();
  const broken: BrokenPlugin[] = [];
  const candidates: [string, Origin][] = [
    ...builtIn.flatMap(subFolders).map((f): [string, Origin] => [f, 'built-in']),
    ...[...modules.flatMap(packageFolders), ...packages].map((f): [string, Origin] => [f, 'package']),
    ...paths.map((f): [string, Origin] => [resolve(f), 'path']),
  ];
  for (const [folder, origin] of candidates) {
    try {
      const place = realFolder(folder);
      if (seen.has(place)) continue;
      const manifest = readManifest(folder, origin);
      if (manifest === undefined) continue;
      seen.add(place);
      const other = manifests.get(manifest.name);
      if (other)
        throw new SrvError('plugin', `two plugins are named ${manifest.name}: ${other.folder} and ${folder}; remove or rename one`);
      manifests.set(manifest.name, manifest);
    } catch (error) {
      if (error instanceof SrvError && error.message.startsWith('two plugins')) throw error;
      if (origin === 'path')
        throw new SrvError('plugin', `plugins.paths: ${folder} cannot be used as a plugin: ${messageOf(error)}`, { cause: error });
      broken.push({ folder, reason: messageOf(error) });
    }
  }
  return { manifests: [...manifests.values()], broken };
}

function subFolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map(name => join(folder, name));
}

/** The folder itself when it does not exist: what reads it says so. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Folders of the packages in a `node_modules` folder, plugins or not. */
export function packageFolders(modules: string): string[] {
  if (!existsSync(modules)) return [];
  return readdirSync(modules)
    .sort()
    .flatMap(name => {
      if (name.startsWith('.')) return [];
      return name.startsWith('@') ? subFolders(join(modules, name)) : [join(modules, name)];
    });
}

/**
 * Applies the switches.
 * @param others names of plugins that have no part for this program: they may be switched, without effect here.
 * @throws SrvError `plugin` for unknown names and for a disabled plugin that enabled ones require, which names all of them.
 */
export function selectPlugins(
  manifests: readonly Manifest[],
  { disabled, enabled }: Switches,
  others: readonly string[] = [],
): Selection[] {
  const names = [...new Set([...manifests.map(m => m.name), ...others])];
  for (const [key, list] of Object.entries({ disabled, enabled })) {
    for (const name of list.filter(n => !names.includes(n))) {
      const suggestion = nearest(name, names);
      throw new SrvError(
        'plugin',
        `plugins.${key}: unknown plugin ${name}${suggestion ? `; did you mean ${suggestion}?` : '.'} Known: ${[...names].sort().join(', ')}`,
      );
    }
  }
  const selected = manifests.map((manifest): Selection => {
    if (disabled.includes(manifest.name)) return { manifest, offBecause: 'disabled by plugins.disabled' };
    if (enabled.length > 0 && !enabled.includes(manifest.name) && !manifest.bootstrap)
      return { manifest, offBecause: 'not in plugins.enabled' };
    return { manifest };
  });
  const off = selected.filter(s => s.offBecause !== undefined);
  const running = selected.filter(s => s.offBecause === undefined).map(s => s.manifest);
  for (const { manifest, offBecause = '' } of off) {
    const dependents = dependentsOf(manifest.name, running);
    if (dependents.length > 0) throw stillRequired(manifest.name, offBecause, dependents);
  }
  return selected;
}

/** Names of those that require the plugin, and of those that require them. */
function dependentsOf(name: string, manifests: readonly Manifest[]): readonly string[] {
  const found = new Set<string>([name]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const manifest of manifests) if (manifest.requires.some(required => found.has(required))) found.add(manifest.name);
  }
  found.delete(name);
  return [...found];
}

function stillRequired(name: string, offBecause: string, dependents: readonly string[]): SrvError {
  const [first = ''] = dependents;
  if (dependents.length === 1)
    return new SrvError('plugin', `plugin ${first} requires ${name}, which is ${offBecause}; enable ${name} or disable ${first} too`);
  const list = dependents.join(', ');
  return new SrvError(
    'plugin',
    `plugins ${list} require ${name}, directly or through one another, and it is ${offBecause}; enable ${name} or disable them too: ${name}, ${list}`,
  );
}

/** Requirements and what a plugin comes `after` first, then lower layers; otherwise the order given. @throws SrvError `plugin` for a missing requirement or a cycle. */
export function orderPlugins(manifests: readonly Manifest[]): Manifest[] {
  const byName = new Map(manifests.map(m => [m.name, m]));
  const ordered = new Set<Manifest>();
  const visit = (manifest: Manifest, chain: readonly string[]): void => {
    if (ordered.has(manifest)) return;
    if (chain.includes(manifest.name)) {
      throw new SrvError(
        'plugin',
        `plugins require one another in a circle: ${[...chain.slice(chain.indexOf(manifest.name)), manifest.name].join(' -> ')}`,
      );
    }
    for (const name of manifest.requires) {
      const required = byName.get(name);
      if (!required) throw new SrvError('plugin', `plugin ${manifest.name} requires ${name}, which is not installed`);
      visit(required, [...chain, manifest.name]);
    }
    for (const name of manifest.after) {
      const earlier = byName.get(name);
      if (earlier) visit(earlier, [...chain, manifest.name]);
    }
    ordered.add(manifest);
  };
  for (const manifest of manifests.toSorted((a, b) => a.layer - b.layer)) visit(manifest, []);
  return [...ordered];
}
