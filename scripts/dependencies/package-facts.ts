/** What the checks need to know of a package, from its package.json. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageFolders, toolFolders } from '../workspace-folders.js';

/** Bottom first; imports go down. */
export const layers = ['kernel', 'libraries', 'ground', 'engine', 'features', 'faces', 'cli'] as const;
type Layer = (typeof layers)[number];

export interface PackageFacts {
  readonly name: string;
  /** Relative to the repository. */
  readonly folder: string;
  /** `tools`: packages that never ship, and the root package with its folders `scripts` and `test`, which may use everything. */
  readonly layer: Layer | 'tools';
  /** Whether it can be switched off: nothing of its own layer may need its code. */
  readonly isPlugin: boolean;
  /** What the one who installs it brings counts too. */
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  /** What may be imported: `.`, `./contract`, …; absent when package.json has no `exports`. */
  readonly exports?: readonly string[] | undefined;
  /** Files and folders that are published, from the package's folder; absent: all. */
  readonly published?: readonly string[] | undefined;
  /** Files by the names that package.json gives them: `.`, `./contract`, `#programs`; paths of compiled files without `dist`. */
  readonly files: ReadonlyMap<string, string>;
  /** Names with `#` that package.json gives to files of the package. */
  readonly imports: ReadonlySet<string>;
}

interface PackageJson {
  readonly name: string;
  readonly srv?: { readonly layer?: string; readonly name?: string };
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly exports?: string | Record<string, string | Readonly<Record<string, string>>>;
  readonly files?: readonly string[];
  readonly imports?: Record<string, string>;
}

/** @throws Error when a package names no layer or an unknown one. */
export function readPackages(root: string): PackageFacts[] {
  return packageFolders(root).map(folder => {
    const json = readJson(join(root, folder, 'package.json')) as PackageJson;
    const known = [...layers, 'tools'] as const;
    const layer = known.find(s => s === json.srv?.layer);
    if (layer === undefined)
      throw new Error(`${folder}/package.json: "srv.layer" must be one of ${known.join(', ')}, not ${String(json.srv?.layer)}`);
    return { ...factsOf(json, folder), folder, layer, isPlugin: json.srv?.name !== undefined };
  });
}

/** Development dependencies of the root package: tools that the tests of every package share. */
export function readSharedTools(root: string): ReadonlySet<string> {
  return factsOf(readJson(join(root, 'package.json')) as PackageJson, '').devDependencies;
}

/** The root package, once for each of its folders with code. */
export function readTools(root: string): PackageFacts[] {
  const json = readJson(join(root, 'package.json')) as PackageJson;
  return toolFolders
    .filter(folder => existsSync(join(root, folder)))
    .map(folder => ({ ...factsOf(json, ''), folder, layer: 'tools', isPlugin: false }));
}

function factsOf(
  { name, dependencies = {}, devDependencies = {}, peerDependencies = {}, exports, files: published, imports = {} }: PackageJson,
  folder: string,
) {
  const files = new Map(
    Object.entries({ ...(typeof exports === 'string' ? { '.': exports } : exports), ...imports }).map(([key, target]) => [
      key,
      posix.join(folder, fileOf(target).replace('/dist/', '/')),
    ]),
  );
  return {
    name,
    dependencies: new Set(Object.keys({ ...dependencies, ...peerDependencies })),
    devDependencies: new Set(Object.keys(devDependencies)),
    imports: new Set(Object.keys(imports)),
    files,
    published,
    exports: exports === undefined ? undefined : typeof exports === 'string' ? ['.'] : Object.keys(exports),
  };
}

/** Of conditions the last one names the module. */
const fileOf = (target: string | Readonly<Record<string, string>>): string =>
  typeof target === 'string' ? target : (Object.values(target).at(-1) ?? '');

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
