/** Whether a build is newer than its sources. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds of the latest change below the paths; 0 where nothing is there. */
export function newest(paths: readonly string[]): number {
  const times = paths.map(path => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return 0;
    return found.isDirectory() ? newest(readdirSync(path).map(name => join(path, name))) : found.mtimeMs;
  });
  return Math.max(0, ...times);
}
