/** TypeScript sources below a folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const outputFolders = new Set(['dist', 'node_modules']);

/** Paths relative to `folder`, sorted, with `/`; none when the folder does not exist. Declarations and compiled output are left out. */
export function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      if (entry.isDirectory()) {
        return outputFolders.has(entry.name) ? [] : sourceFiles(join(folder, entry.name)).map(file => `${entry.name}/${file}`);
      }
      return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [entry.name] : [];
    });
}
