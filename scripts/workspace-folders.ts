/** The folders of the repository that hold code. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders without a package of their own; they belong to the root package. */
export const toolFolders = ['scripts', 'test'] as const;

/**
 * Folders of the workspace's packages below `root`, as the `workspaces` member of its package.json lists them.
 * Only names and `folder/*` are understood.
 */
export function packageFolders(root: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: readonly string[] };
  return workspaces
    .flatMap(pattern => (pattern.endsWith('/*') ? foldersIn(root, pattern.slice(0, -2)) : [pattern]))
    .filter(folder => existsSync(join(root, folder, 'package.json')));
}

function foldersIn(root: string, parent: string): string[] {
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent))
    .sort()
    .map(name => `${parent}/${name}`);
}
