/**
 * Modules that `srv` was bundled with. Imported from its file, such a module would be a second copy beside the one that runs.
 */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../places.js';

const outside = join(packageFolder, '..');
const isWorkspace = existsSync(join(outside, 'plugins'));

/** Folders of the product's packages: in the workspace, or in the scope's folder of an installation. */
const places: readonly { readonly folder: string; readonly prefix: string }[] = isWorkspace
  ? [
      { folder: join(outside, 'plugins'), prefix: '' },
      { folder: join(outside, 'kernel'), prefix: 'kernel/' },
      { folder: packageFolder, prefix: 'cli/' },
    ]
  : [{ folder: outside, prefix: '' }];

/** Where every other package is. */
const usual = isWorkspace ? join(outside, 'plugins') : outside;

/** By their names in the bundle: package and file, such as `auth/dist/src/server/index.js`. */
type BundledModules = Readonly<Record<string, object>>;

let load: (() => Promise<{ readonly default: BundledModules }>) | undefined;

/** Called by the bundle alone. */
export function offerBundle(modules: () => Promise<{ readonly default: BundledModules }>): void {
  load = modules;
}

/** The module made of a file; `undefined`: the program is not bundled, or not with it. */
export async function bundledModule(file: string): Promise<object | undefined> {
  const name = nameOf(file);
  return name === undefined ? undefined : (await bundledModules())[name];
}

/** None when the program is not bundled. */
export async function bundledModules(): Promise<BundledModules> {
  return (await load?.())?.default ?? {};
}

/** Whether a file belongs to the packages of the product. */
export function isOwnFile(file: string): boolean {
  return nameOf(file) !== undefined;
}

/** What a module of the bundle would find as `import.meta.url` in its file. */
export function urlOf(name: string): string {
  const { folder, prefix } = places.find(place => place.prefix !== '' && name.startsWith(place.prefix)) ?? { folder: usual, prefix: '' };
  return pathToFileURL(join(folder, name.slice(prefix.length))).href;
}

function nameOf(file: string): string | undefined {
  const place = places.find(({ folder }) => file.startsWith(folder + sep));
  return place && place.prefix + relative(place.folder, file).split(sep).join('/');
}
