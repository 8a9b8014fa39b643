/** Where plugins are looked for: the same for both programs. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this package; compiled files are in its `dist/src`. */
export const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The workspace's `plugins` folder and every `node_modules` folder from this package upwards. */
export function pluginPlaces(): { readonly builtIn: readonly string[]; readonly modules: readonly string[] } {
  const modules: string[] = [];
  for (let folder = packageFolder; ; folder = dirname(folder)) {
    modules.push(join(folder, 'node_modules'));
    if (dirname(folder) === folder) break;
  }
  return { builtIn: [join(packageFolder, '..', 'plugins')], modules };
}
