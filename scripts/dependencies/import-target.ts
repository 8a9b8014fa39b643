/** Where an import leads within the workspace. */
import { posix } from 'node:path';
import { packageNameOf } from './import-rules.js';
import type { PackageFacts } from './package-facts.js';

/**
 * @param path of the importing source, from the repository.
 * @returns path from the repository as if the compiled files lay beside the sources; `undefined`: not of this workspace.
 */
export function importTarget(
  specifier: string,
  path: string,
  from: PackageFacts,
  packages: ReadonlyMap<string, PackageFacts>,
): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const own = from.files.get(specifier);
  if (own !== undefined) return own;
  const name = packageNameOf(specifier);
  const target = packages.get(name);
  if (target === undefined) return undefined;
  const rest = `.${specifier.slice(name.length)}`;
  return target.files.get(rest) ?? posix.join(target.folder, rest.replace('./dist/', './'));
}
