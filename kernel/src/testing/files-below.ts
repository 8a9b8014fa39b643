import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the files below a folder, relative to it, sorted. A program may be at work there: a folder that goes meanwhile has none. */
export function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const walk = (below: string): void => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(path);
    }
  };
  walk('');
  return found.sort((a, b) => (a < b ? -1 : 1));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
