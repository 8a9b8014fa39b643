/**
 * `node scripts/dist/bounds-table.js [--write]`: prints what the packages keep in memory and on disk, at most how much, and
 * which test exceeds it; with `--write` also into the README of each.
 */
import { join } from 'node:path';
import { boundsOf, boundsTable } from './dependencies/bounds.js';
import { readWorkspace } from './dependencies/check.js';
import { repositoryRoot } from './repository-root.js';
import { publish } from './tables/publish.js';

for (const [folder, bounds] of boundsOf(readWorkspace(repositoryRoot).sources)) {
  process.stdout.write(`\n${folder}\n`);
  publish('bounds', join(repositoryRoot, folder, 'README.md'), boundsTable(bounds));
}
