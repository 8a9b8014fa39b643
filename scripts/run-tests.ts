/**
 * Runs the tests of all packages: `npm test -- [--only text]… [--no-skip] [--concurrency n]`, or `npm run test:all`, which
 * runs the long test files, too.
 * Checks the dependencies between the packages first. Ends with 1 when anything failed.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { checkDependencies } from './dependencies/check.js';
import { repositoryRoot } from './repository-root.js';
import { prepareFolders } from './test-runner/folders.js';
import type { FileResult } from './test-runner/file-result.js';
import { inPool } from './test-runner/pool.js';
import { closingReport, fileReport, skipReport } from './test-runner/report.js';
import { runFile } from './test-runner/run-file.js';
import { leftOutReport, selectTests } from './test-runner/selection.js';
import { testFiles } from './test-runner/test-files.js';

/**
 * For one file, in milliseconds: whole-program tests move thousands of files, and the machine may be busy. The tests have no
 * limits of their own.
 */
const fileTimeout = 30 * 60_000;

const { values: options } = parseArgs({
  options: {
    /** Part of the path of the test files to run; of several, one. */
    only: { type: 'string', multiple: true, default: [''] },
    /** Long test files run, too. */
    all: { type: 'boolean', default: false },
    /** A skipped test fails the run: for machines that have everything. */
    'no-skip': { type: 'boolean', default: false },
    /** Files at a time: more than processors, since many wait for a timer, a disk or a browser. */
    concurrency: { type: 'string', default: String(Math.ceil(availableParallelism() * 1.5)) },
  },
});

const violations = checkDependencies(repositoryRoot);
for (const violation of violations) print(`${violation}\n`);
print(`dependency check: ${violations.length === 0 ? 'ok' : `${violations.length} violations`}\n`);

const { files, leftOut } = selectTests(testFiles(repositoryRoot, options.only), options.all);
if (files.length === 0) throw new Error(`no test file's path contains ${options.only.map(text => JSON.stringify(text)).join(' or ')}`);
prepareFolders(repositoryRoot);
const results: FileResult[] = [];
const begin = performance.now();
await inPool(files, Number(options.concurrency), async file => {
  const result = await runFile(file, fileTimeout);
  results.push(result);
  print(fileReport(result));
});
print(`${skipReport(results)}${leftOutReport(leftOut, options.only)}\n${closingReport(results, performance.now() - begin)}`);

const failed = results.filter(result => result.failed).map(({ source }) => source);
const skipped = results.filter(result => result.skips.length > 0).map(({ source }) => source);
if (failed.length > 0) print(`\nFailed: ${failed.join(', ')}\n`);
if (options['no-skip'] && skipped.length > 0) print(`\nSkipping is not allowed here: ${skipped.join(', ')}\n`);
process.exitCode = violations.length > 0 || failed.length > 0 || (options['no-skip'] && skipped.length > 0) ? 1 : 0;

function print(text: string): void {
  process.stdout.write(text);
}
