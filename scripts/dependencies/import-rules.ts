/** Rules about one import in one file. */
import { posix } from 'node:path';
import { layers } from './package-facts.js';
import type { PackageFacts } from './package-facts.js';

export interface ImportSite {
  readonly from: PackageFacts;
  /** Relative to the package's folder, with `/`. */
  readonly file: string;
  readonly specifier: string;
  /** The import is erased when the program is compiled. */
  readonly typesOnly: boolean;
  /** The workspace's packages by name. */
  readonly packages: ReadonlyMap<string, PackageFacts>;
  /** Packages that tests may use without declaring them: they are installed once, for the whole repository. */
  readonly sharedTools: ReadonlySet<string>;
}

/** @returns what is wrong with the import, `undefined` when nothing is. */
export function judgeImport(site: ImportSite): string | undefined {
  const { specifier } = site;
  if (specifier.startsWith('.')) return judgeRelative(site);
  if (specifier.startsWith('node:') || site.from.imports.has(specifier)) return undefined;
  if (specifier.startsWith('/') || specifier.includes(':') || specifier.startsWith('#'))
    return `${specifier} names no package and no file of this package`;
  return judgeDeclared(site) ?? judgeWorkspace(site);
}

/** `@scope/name` or `name`, without the path after it. */
export function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Whether the file ships: everything but tests and tools. */
const ships = ({ from, file }: ImportSite): boolean => from.layer !== 'tools' && !file.startsWith('test/');

/** Sources of which only a bundle is published need nothing when the package is installed. */
function isPublished({ from: { published }, file }: ImportSite): boolean {
  return published === undefined || published.some(path => `dist/${file}`.startsWith(`${path}/`));
}

function judgeRelative(site: ImportSite): string | undefined {
  const target = posix.join(posix.dirname(site.file), site.specifier);
  if (target.startsWith('..')) return `${site.specifier} leaves the package: import it by its package name`;
  if (ships(site) && target.startsWith('test/')) return `${site.specifier} is a test's file, which is not shipped`;
  return undefined;
}

function judgeDeclared(site: ImportSite): string | undefined {
  const { from, specifier } = site;
  const name = packageNameOf(specifier);
  const itself = name === from.name;
  // The root package need not declare the workspace's own packages: they are always linked.
  if (itself || from.dependencies.has(name) || (from.layer === 'tools' && site.packages.has(name))) return undefined;
  const inTests = !ships(site) && site.sharedTools.has(name);
  if (!from.devDependencies.has(name) && !inTests)
    return `${name} is not declared in ${from.layer === 'tools' ? '' : `${from.folder}/`}package.json`;
  return ships(site) && isPublished(site) ? `${name} is a development dependency; what ships needs it in "dependencies"` : undefined;
}

function judgeWorkspace(site: ImportSite): string | undefined {
  const { from, specifier, packages } = site;
  const name = packageNameOf(specifier);
  const target = packages.get(name);
  if (target === undefined) return undefined;
  if (from.layer !== 'tools' && target.layer !== 'tools' && layers.indexOf(target.layer) > layers.indexOf(from.layer)) {
    return `${name} is above (${target.layer}): imports go down, and ${from.name} is in ${from.layer}`;
  }
  if (ships(site) && isSibling(from, target) && !site.typesOnly)
    return `${name} is a plugin of the same layer: ask for its service, or move what both need to a library`;
  return judgeExports(site, target);
}

/** A plugin beside this one. */
function isSibling(from: PackageFacts, target: PackageFacts): boolean {
  return target.isPlugin && target !== from && target.layer === from.layer;
}

/** A package without `exports` offers nothing to what ships; tests may open it to try its classes. */
function judgeExports(site: ImportSite, target: PackageFacts): string | undefined {
  const { specifier } = site;
  if (target.exports === undefined) return ships(site) ? `${target.name} has no "exports": it offers nothing to import` : undefined;
  const subpath = `.${specifier.slice(target.name.length)}`;
  if (target.exports.includes(subpath)) return undefined;
  return `${specifier} goes past the exports of ${target.name}: ${target.exports.join(', ')}`;
}
