/**
 * `node scripts/dist/stores-table.js [--write]`: runs the conformance suite of every store driver and prints what ran
 * against what; with `--write` also into the README of lib-stores. Ends with 1 when a test failed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.js';
import { outcomesOf } from './tables/outcomes.js';
import { publish } from './tables/publish.js';
import { packageFolders } from './workspace-folders.js';

const rows: string[] = [];
for (const folder of packageFolders(repositoryRoot).filter(name => /^plugins\/(kv|block)-/.test(name))) {
  const files = ['contract.test.js', 'contract.long.test.js'].map(name => join(repositoryRoot, folder, 'dist', 'test', name));
  for (const [title, { passed, failed, skipped }] of (await Promise.all(files.filter(existsSync).map(outcomesOf))).flatMap(found => [
    ...found,
  ])) {
    // Titles are "<driver> on <server>: … contract".
    const [driver = '', server = ''] = (title.split(':')[0] ?? '').split(' on ');
    const skips = skipped.length === 0 ? '' : `, ${skipped.length} skipped: ${[...new Set(skipped)].join('; ')}`;
    rows.push(`| ${driver} | ${server} | ${passed.length} passed${failed.length > 0 ? `, ${failed.length} FAILED` : ''}${skips} |`);
    if (failed.length > 0) process.exitCode = 1;
  }
}
publish('stores', join(repositoryRoot, 'plugins', 'lib-stores', 'README.md'), [
  '| driver | server | conformance suite |',
  '|---|---|---|',
  ...rows,
]);
