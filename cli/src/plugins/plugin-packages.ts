/** Plugin packages with a `cli` part. A broken one is reported and skipped; the others stay. */
import { Kernel, findPlugins, messageOf, selectPlugins } from '@srv/kernel';
import { importModule } from './import-module.js';
import { rememberedPackages } from './package-memory.js';
import type { PluginPackage } from '@srv/engine/shell';
import type { Found, Hooks, Manifest, Plugin, Switches } from '@srv/kernel';

interface PluginSearch {
  readonly builtIn: readonly string[];
  readonly modules: readonly string[];
  /** Folders of single packages. */
  readonly paths: readonly string[];
  /** Folders of packages in `node_modules`, some of which may be plugins. */
  readonly packages?: readonly string[];
}

export interface LoadedPackages {
  readonly packages: readonly PluginPackage[];
  /** Tapped by the packages that work. */
  readonly hooks: Hooks;
  /** Why no package is switched off, though some were meant to be. */
  readonly problem?: string | undefined;
}

interface LoadOptions {
  /** Whether a package is needed, by the first words of its commands; called for packages that declare them. Default: all are. */
  readonly isMeant?: (words: readonly string[]) => boolean;
  readonly switches?: Switches;
  /** Where packages were found recently is not looked at again. */
  readonly remembers?: boolean;
}

export async function loadPluginPackages(
  places: PluginSearch,
  { isMeant = () => true, switches = { disabled: [], enabled: [] }, remembers = false }: LoadOptions = {},
): Promise<LoadedPackages> {
  const found = findManifests(places, { remembers });
  const { off, problem: mistake } = switchedOff(found.manifests, switches);
  const manifests = found.manifests.filter(
    ({ name, entries, commands }) => entries.cli !== undefined && !off.has(name) && (commands === undefined || isMeant(commands)),
  );
  const { broken } = found;
  const candidates = await Promise.all(manifests.map(imported));
  const { hooks } = await applied(candidates);
  const packages = candidates.map(({ manifest, problem }) => ({ ...factsOf(manifest), ...(problem === undefined ? {} : { problem }) }));
  return { packages: [...packages, ...broken], hooks, problem: mistake };
}

/** Names of plugins that are switched off. The switches are of the server, which refuses to start with those that make no sense. */
function switchedOff(manifests: readonly Manifest[], switches: Switches): { readonly off: ReadonlySet<string>; readonly problem?: string } {
  try {
    const selected = selectPlugins(manifests, switches);
    return { off: new Set(selected.flatMap(({ manifest, offBecause }) => (offBecause === undefined ? [] : [manifest.name]))) };
  } catch (error) {
    return { off: new Set(), problem: messageOf(error) };
  }
}

/** Every manifest found; what is not a plugin, or shadowed by another, is broken. */
export function findManifests(
  { builtIn, modules, paths }: PluginSearch,
  { remembers = false }: Pick<LoadOptions, 'remembers'> = {},
): {
  readonly manifests: readonly Manifest[];
  readonly broken: readonly PluginPackage[];
} {
  const manifests = new Map<string, Manifest>();
  const broken: PluginPackage[] = [];
  const seen = new Set<string>();
  const remembered = remembers ? rememberedPackages(modules) : undefined;
  const nowhere = { builtIn: [], modules: [], paths: [] };
  const searches: PluginSearch[] = [
    ...builtIn.map(folder => ({ ...nowhere, builtIn: [folder] })),
    ...modules.map(folder => ({ ...nowhere, ...(remembered ? { packages: remembered.get(folder) ?? [] } : { modules: [folder] }) })),
    ...paths.map(folder => ({ ...nowhere, paths: [folder] })),
  ];
  for (const search of searches) {
    const found = attempt(search, seen);
    for (const { folder, reason } of found.broken) broken.push(leftOut(folder, reason));
    for (const manifest of found.manifests) {
      const earlier = manifests.get(manifest.name);
      if (earlier === undefined) manifests.set(manifest.name, manifest);
      else broken.push({ ...factsOf(manifest), problem: `shadowed by ${earlier.folder}` });
    }
  }
  return { manifests: [...manifests.values()], broken };
}

function attempt(search: PluginSearch, seen: Set<string>): Found {
  try {
    return findPlugins(search, seen);
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
