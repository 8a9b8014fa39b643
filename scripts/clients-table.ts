/**
 * `node scripts/dist/clients-table.js [--write]`: runs what S3 clients are asked to do with the gateway and prints which
 * version of which did what; with `--write` also into the gateway's README. Ends with 1 when a step failed.
 */
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.js';
import { outcomesOf } from './tables/outcomes.js';
import { publish } from './tables/publish.js';

const gateway = join(repositoryRoot, 'plugins', 'gateway-s3');
const rows: string[] = [];
for (const [title, { passed, failed, skipped }] of await outcomesOf(join(gateway, 'dist', 'test', 'clients.long.test.js'))) {
  // Titles are "<client> <version>".
  const [, client = title, version = ''] = /^(.*) (\S*\d\S*)$/.exec(title) ?? [];
  const failures = failed.length === 0 ? '' : `; FAILED: ${failed.join(', ')}`;
  rows.push(`| ${client} | ${version} | ${[...passed, ...skipped].join(', ')}${failures} |`);
  if (failed.length > 0) process.exitCode = 1;
}
publish('clients', join(gateway, 'README.md'), ['| client | version | passed |', '|---|---|---|', ...rows]);
