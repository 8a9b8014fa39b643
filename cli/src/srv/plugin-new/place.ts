/** Where a new plugin goes: into the current workspace, or into a package of its own. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../../places.js';

export interface PluginLocation {
  /** Absolute; does not exist yet. */
  readonly folder: string;
  /** Root of the workspace whose `plugins` folder receives it; absent: it stands alone. */
  readonly workspace?: string;
}

/** @param folder as given by the user, relative to `cwd`; absent: chosen by where `cwd` is. */
export function placeOf(name: string, folder: string | undefined, cwd: string): PluginLocation {
  const around = workspaceAround(cwd);
  const chosen = folder === undefined ? (around ? join(around, 'plugins', name) : join(cwd, `srv-plugin-${name}`)) : resolve(cwd, folder);
  const workspace = workspaceAround(dirname(chosen));
  return workspace !== undefined && dirname(chosen) === join(workspace, 'plugins') ? { folder: chosen, workspace } : { folder: chosen };
}

/** The nearest folder, upwards, with a package.json whose workspaces include every folder of `plugins`. */
function workspaceAround(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) {
      const { workspaces } = JSON.parse(readFileSync(file, 'utf8')) as { workspaces?: unknown };
      if (Array.isArray(workspaces) && workspaces.includes('plugins/*')) return folder;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Packages that a new plugin is written with. */
export const usedPackages = ['@srv/kernel', '@srv/lib-commands'] as const;
type UsedPackage = (typeof usedPackages)[number];

/** What package.json says of a package: its version in a workspace, else the folder it runs from, which no registry has. */
export function dependencyOn(name: UsedPackage, { folder, workspace }: PluginLocation): string {
  const { dependencies } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<UsedPackage, string>>;
  };
  // The module is <package>/dist/src/index.js, links resolved.
  const used = resolve(dirname(fileURLToPath(import.meta.resolve(name))), '..', '..');
  return workspace === undefined ? `file:${relative(folder, used)}` : dependencies[name];
}
