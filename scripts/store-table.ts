/**
 * `node scripts/dist/store-table.js [--write]`: runs the conformance suite of every store driver and prints what ran against
 * what; with `--write` also into README.md. Ends with 1 when a test failed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { repositoryRoot } from './repository-root.js';
import { packageFolders } from './workspace-folders.js';

interface SuiteCount {
  passed: number;
  failed: number;
  /** Reasons. */
  readonly skipped: string[];
}

const readme = join(repositoryRoot, 'README.md');
const [begin, end] = ['<!-- stores: written by scripts/store-table.ts -->', '<!-- /stores -->'];

const rows: string[] = [];
let failed = false;
for (const folder of packageFolders(repositoryRoot).filter(name => /^plugins\/(kv|block)-/.test(name))) {
  const file = join(repositoryRoot, folder, 'dist', 'test', 'contract.test.js');
  if (!existsSync(file)) continue;
  for (const [title, count] of await suitesOf(file)) {
    // Titles are "<driver> on <server>: … contract".
    const [driver = '', server = ''] = (title.split(':')[0] ?? '').split(' on ');
    const skips = count.skipped.length === 0 ? '' : `, ${count.skipped.length} skipped: ${[...new Set(count.skipped)].join('; ')}`;
    rows.push(`| ${driver} | ${server} | ${count.passed} passed${count.failed > 0 ? `, ${count.failed} FAILED` : ''}${skips} |`);
    failed ||= count.failed > 0;
  }
}
const table = ['| driver | server | conformance suite |', '|---|---|---|', ...rows].join('\n');
process.stdout.write(`${table}\n`);
if (process.argv.includes('--write')) {
  const text = readFileSync(readme, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md lacks the marks ${begin} and ${end}`);
  writeFileSync(readme, `${text.slice(0, from)}${begin}\n${table}\n${text.slice(to)}`);
}
process.exitCode = failed ? 1 : 0;

/** Outcomes by outermost suite; what is skipped as a whole counts under its own name. */
async function suitesOf(file: string): Promise<Map<string, SuiteCount>> {
  const suites = new Map<string, SuiteCount>();
  let suite = '';
  for await (const { type, data } of run({ files: [file] }) as AsyncIterable<TestEvent>) {
    if (type === 'test:start' && data.nesting === 0 && data.name !== file) suite = data.name;
    if ((type !== 'test:pass' && type !== 'test:fail') || data.name === file || data.details.type === 'suite') continue;
    const count = suites.get(suite) ?? { passed: 0, failed: 0, skipped: [] };
    suites.set(suite, count);
    if (data.skip !== undefined && data.skip !== false) count.skipped.push(String(data.skip));
    else if (type === 'test:pass') count.passed++;
    else count.failed++;
  }
  return suites;
}
