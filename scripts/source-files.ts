/** TypeScript sources below a folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const outputFolders = new Set(['dist', 'node_modules']);

/**
 * Paths relative to `folder`, sorted, with `/`; none when the folder does not exist. Declarations, compiled output and
 * packages inside the folder are left out.
 */
export function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      if (entry.isDirectory()) {
        const inner = join(folder, entry.name);
        if (outputFolders.has(entry.name) || existsSync(join(inner, 'package.json'))) return [];
        return sourceFiles(inner).map(file => `${entry.name}/${file}`);
      }
      return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [entry.name] : [];
    });
}
