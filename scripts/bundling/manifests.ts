/** Which modules of a package of the workspace a bundle may hold. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../repository-root.js';

interface PackageJson {
  readonly private?: boolean;
  /** Modules for browsers have conditions. */
  readonly exports?: Readonly<Record<string, string | object>>;
  readonly srv?: Readonly<Record<string, unknown>>;
}

/** A module that the product loads by its file, or that other packages import. */
export interface PackageModule {
  /** By which a program asks its bundle for it: package and file, such as `auth/dist/src/server/index.js`. */
  readonly name: string;
  /** As seen from the root of the repository. */
  readonly path: string;
}

/** @param folder of the package, as seen from the root. @param entries of its manifest, such as `server`; those that it lacks are left out. */
export function entriesOf(folder: string, entries: readonly string[]): PackageModule[] {
  const { srv = {} } = manifestOf(folder);
  return modulesIn(
    folder,
    entries.map(entry => srv[entry]),
  );
}

/** What other packages may import of it. */
export function exportsOf(folder: string): PackageModule[] {
  const { exports = {} } = manifestOf(folder);
  return modulesIn(
    folder,
    Object.entries(exports).map(([name, file]) => (name === './testing' ? undefined : file)),
  );
}

function modulesIn(folder: string, files: readonly unknown[]): PackageModule[] {
  const relative = files.filter(file => typeof file === 'string').map(file => file.replace(/^\.\//, ''));
  return [...new Set(relative)].map(file => ({ name: `${basename(folder)}/${file}`, path: `./${folder}/${file}` }));
}

/** Without members for a package that is not published. */
function manifestOf(folder: string): PackageJson {
  const json = JSON.parse(readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8')) as PackageJson;
  return json.private === true ? {} : json;
}
