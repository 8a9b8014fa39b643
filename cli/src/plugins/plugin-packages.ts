/** Plugin packages with a `cli` part. A broken one is reported and skipped; the others stay. */
import { realpathSync } from 'node:fs';
import { Kernel, findPlugins, kernelConfig, messageOf } from '@srv/kernel';
import { importModule } from './import-module.js';
import type { PluginPackage } from '@srv/engine/shell';
import type { Found, Hooks, Manifest, Plugin } from '@srv/kernel';

interface PluginSearch {
  readonly builtIn: readonly string[];
  readonly modules: readonly string[];
  /** Folders of single packages. */
  readonly paths: readonly string[];
}

export interface LoadedPackages {
  readonly packages: readonly PluginPackage[];
  /** Tapped by the packages that work. */
  readonly hooks: Hooks;
}

/** The folders of `SRV_PLUGINS_PATHS`, by which the server finds plugins too. */
export function pluginPaths({ SRV_PLUGINS_PATHS: text = '' }: Readonly<Record<string, string | undefined>>): readonly string[] {
  return text === '' ? [] : kernelConfig.keys['plugins.paths'].decode(text);
}

/** @param isMeant whether a package is needed, by the first words of its commands; called for packages that declare them. */
export async function loadPluginPackages(
  places: PluginSearch,
  isMeant: (words: readonly string[]) => boolean = () => true,
): Promise<LoadedPackages> {
  const found = findManifests(places);
  const manifests = found.manifests.filter(
    ({ entries, commands }) => entries.cli !== undefined && (commands === undefined || isMeant(commands)),
  );
  const { broken } = found;
  const candidates = await Promise.all(manifests.map(imported));
  const { hooks } = await applied(candidates);
  const packages = candidates.map(({ manifest, problem }) => ({ ...factsOf(manifest), ...(problem === undefined ? {} : { problem }) }));
  return { packages: [...packages, ...broken], hooks };
}

/** Every manifest found; what is not a plugin, or shadowed by another, is broken. */
export function findManifests({ builtIn, modules, paths }: PluginSearch): {
  readonly manifests: readonly Manifest[];
  readonly broken: readonly PluginPackage[];
} {
  const manifests = new Map<string, Manifest>();
  const broken: PluginPackage[] = [];
  const searches = [
    ...builtIn.map(folder => ({ builtIn: [folder], modules: [], paths: [] })),
    ...modules.map(folder => ({ builtIn: [], modules: [folder], paths: [] })),
    ...paths.map(folder => ({ builtIn: [], modules: [], paths: [folder] })),
  ];
  for (const search of searches) {
    const found = attempt(search);
    for (const { folder, reason } of found.broken) broken.push(leftOut(folder, reason));
    for (const manifest of found.manifests) {
      const earlier = manifests.get(manifest.name);
      if (earlier === undefined) manifests.set(manifest.name, manifest);
      else if (realpathSync(earlier.folder) !== realpathSync(manifest.folder))
        broken.push({ ...factsOf(manifest), problem: `shadowed by ${earlier.folder}` });
    }
  }
  return { manifests: [...manifests.values()], broken };
}

function attempt(search: PluginSearch): Found {
  try {
    return findPlugins(search);
  } catch (error) {
    // Two packages of one name in one place, or a path that leads to no plugin.
    return {
      manifests: [],
      broken: [{ folder: [...search.builtIn, ...search.modules, ...search.paths].join(), reason: messageOf(error) }],
    };
  }
}

function leftOut(folder: string, problem: string): PluginPackage {
  return { name: '-', version: '-', origin: '-', folder, problem };
}

function factsOf({ name, version, origin, folder }: Manifest): PluginPackage {
  return { name, version, origin, folder };
}

/** A package on its way to being used. */
interface Candidate {
  readonly manifest: Manifest;
  readonly plugin?: Plugin;
  problem?: string;
}

async function imported(manifest: Manifest): Promise<Candidate> {
  try {
    const { default: plugin } = (await importModule(manifest.entries.cli ?? '')) as { default?: Plugin };
    if (typeof plugin?.apply !== 'function') return { manifest, problem: 'its cli part has no plugin as default export' };
    if (plugin.name !== manifest.name) return { manifest, problem: `its cli part calls itself ${plugin.name}; both names must be equal` };
    return { manifest, plugin };
  } catch (error) {
    return { manifest, problem: `its cli part cannot be loaded: ${messageOf(error)}` };
  }
}

/** Applies what works; when something fails, each package is tried alone and those at fault are left out. */
async function applied(candidates: readonly Candidate[]): Promise<Kernel> {
  passOn(candidates);
  try {
    return await kernelOf(candidates);
  } catch {
    for (const candidate of candidates) {
      await kernelOf([candidate]).catch((error: unknown) => {
        candidate.problem = messageOf(error);
      });
    }
    passOn(candidates);
    return kernelOf(candidates);
  }
}

/** What requires a package that does not work is left out too, and so on. */
function passOn(candidates: readonly Candidate[]): void {
  const broken = candidates.filter(c => c.problem !== undefined).map(c => c.manifest.name);
  // The list grows while it is walked.
  for (const name of broken) {
    for (const candidate of candidates) {
      if (candidate.problem !== undefined || !candidate.manifest.requires.includes(name)) continue;
      candidate.problem = `requires ${name}, which does not work`;
      broken.push(candidate.manifest.name);
    }
  }
}

/** Requirements without a part for this tool are the server's matter. */
function kernelOf(candidates: readonly Candidate[]): Promise<Kernel> {
  const working = candidates.flatMap(({ manifest, plugin, problem }) => (plugin && problem === undefined ? [{ plugin, manifest }] : []));
  const names = working.map(({ plugin }) => plugin.name);
  const inline = working.map(({ plugin, manifest }) => ({ plugin, requires: manifest.requires.filter(name => names.includes(name)) }));
  return new Kernel({ part: 'cli', inline, switches: {} }).load();
}
