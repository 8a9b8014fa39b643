/**
 * Modules that a program was bundled with. Imported from its file, such a module would be a second copy beside the one that runs.
 */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shapesOf } from '@srv/lib-api/client';
import { packageFolder } from '../places.js';
import type { WireShapes } from '@srv/lib-api/client';

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
/** Each is loaded when it is asked for. */
type Loaders = Readonly<Record<string, () => Promise<object>>>;
/** What modules with operations come to on the wire, by the same names. */
type BundledShapes = Readonly<Record<string, Parameters<typeof shapesOf>[0]>>;

let loadAll: (() => Promise<{ readonly default: BundledModules }>) | undefined;
let loaders: Loaders = {};
let loadShapes: (() => Promise<{ readonly default: BundledShapes }>) | undefined;

/** Called by the bundle of `srv` alone, which loads all its modules at once. */
export function offerBundle(modules: () => Promise<{ readonly default: BundledModules }>): void {
  loadAll = modules;
}

/** Called by the bundle of `cli` alone, a run of which needs few of its modules. */
export function offerParts(parts: Loaders, shapes: () => Promise<{ readonly default: BundledShapes }>): void {
  loaders = parts;
  loadShapes = shapes;
}

/** The operations of a module as a client needs them, without loading it; `undefined`: they are not in the bundle. */
export async function bundledShapes(file: string): Promise<WireShapes | undefined> {
  const lines = (await loadShapes?.())?.default[nameOf(file) ?? ''];
  return lines && shapesOf(lines);
}

/** The module made of a file; `undefined`: the program is not bundled, or not with it. */
export async function bundledModule(file: string): Promise<object | undefined> {
  const name = nameOf(file);
  return name === undefined ? undefined : (loaders[name]?.() ?? (await bundledModules())[name]);
}

/** Those of a bundle that is loaded whole. */
export async function bundledModules(): Promise<BundledModules> {
  return (await loadAll?.())?.default ?? {};
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
