/**
 * Runs the tests of all packages: `npm test -- [--only text]… [--with text]… [--shard k/n] [--changed [commit]] [--watch] [--no-skip] [--budget]
 * [--concurrency n]`, or `npm run test:all`, which runs the long test files, too. Checks the dependencies between the packages first. Ends with 1
 * when anything failed.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { checkDependencies } from './dependencies/check.js';
import { repositoryRoot } from './repository-root.js';
import { changedFiles, mainBranch, testsOf } from './test-runner/changes.js';
import { compile } from './test-runner/compile.js';
import { FileResult } from './test-runner/file-result.js';
import { prepareFolders } from './test-runner/folders.js';
import { groupFiles } from './test-runner/groups.js';
import { ImportGraph } from './test-runner/import-graph.js';
import { inPool } from './test-runner/pool.js';
import { closingReport, fileReport, skipReport } from './test-runner/report.js';
import { roomMeter } from './test-runner/room.js';
import { runFiles } from './test-runner/run-file.js';
import { RunningFiles } from './test-runner/running-files.js';
import { isLong, leftOutReport, selectTests, shardOf } from './test-runner/selection.js';
import { filesWithServers, installServerPackages } from './test-runner/server-packages.js';
import { shareBrowser } from './test-runner/shared-browser.js';
import { testFiles } from './test-runner/test-files.js';
import { budgetReport, timeReport } from './test-runner/time-report.js';
import { edits } from './test-runner/watch.js';
import { packageFolders } from './workspace-folders.js';
import type { TestFile } from './test-runner/test-files.js';

/**
 * For the files of a process, in milliseconds: whole-program tests move thousands of files, and the machine may be busy. The tests
 * have no limits of their own.
 */
const timeLimit = 15 * 60_000;
const longTimeLimit = 30 * 60_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Part of the path of the test files to run; of several, one. */
    only: { type: 'string', multiple: true, default: [''] },
    /** Long test files run, too. */
    all: { type: 'boolean', default: false },
    /** Part of the path of long test files that run, too. */
    with: { type: 'string', multiple: true, default: [] },
    /** Of all files that would run only one part of several, as in `2/3`, and those of `--with`. */
    shard: { type: 'string' },
    /** Only test files that import what was changed since the commit that follows. */
    changed: { type: 'boolean', default: false },
    /** First what `--changed` runs; then, after each edit, what the edit concerns. */
    watch: { type: 'boolean', default: false },
    /** A file of the default set that takes too much processor time fails the run; without this it is only named. */
    budget: { type: 'boolean', default: false },
    /** A skipped test fails the run: for machines that have everything. */
    'no-skip': { type: 'boolean', default: false },
    /** Processes at a time. Default: more than processors, since many wait for a timer, a disk or a browser, and further ones while processors are idle. */
    concurrency: { type: 'string' },
  },
});
const [commit = mainBranch, ...unknown] = positionals;
if (unknown.length > 0 || (positionals.length > 0 && !options.changed))
  throw new Error(`unknown argument ${positionals.at(-1) ?? ''}: to run the files whose path contains it, write --only before it`);

const shard = options.shard === undefined ? undefined : shardOf(options.shard);
const violations = checkDependencies(repositoryRoot);
for (const violation of violations) print(`${violation}\n`);
print(`dependency check: ${violations.length === 0 ? 'ok' : `${violations.length} violations`}\n`);

prepareFolders(repositoryRoot);
// Tests with random input run oftener: runCount of @srv/kernel/testing.
if (options.all) process.env['SRV_TEST_ALL'] = '1';
const isNarrowed = options.changed || options.watch;
const isGreen = await runTests(isNarrowed ? changedFiles(repositoryRoot, commit) : undefined);
process.exitCode = violations.length > 0 || !isGreen ? 1 : 0;
if (options.watch) await watchEdits();

/** After each edit: compiles, and runs the tests that it concerns. Until Ctrl-C. */
async function watchEdits(): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  print('\nwatching the sources; Ctrl-C ends\n');
  for await (const changed of edits(repositoryRoot, stop.signal)) {
    print(`\nchanged: ${changed.join(', ')}\n`);
    const complaint = compile(repositoryRoot, changed, packageFolders(repositoryRoot));
    if (complaint === '') await runTests(changed);
    else print(complaint);
  }
}

/** @param changed runs only the tests that these files concern. @returns whether all passed. */
async function runTests(changed: readonly string[] | undefined): Promise<boolean> {
  const graph = ImportGraph.read(repositoryRoot);
  const found = testFiles(repositoryRoot, options.only);
  const concerned = changed === undefined ? found : testsOf(found, changed, graph, packageFolders(repositoryRoot));
  const absent = options.with.find(text => !found.some(({ source }) => source.includes(text)));
  if (absent !== undefined) throw new Error(`no test file's path contains ${JSON.stringify(absent)}`);
  const { files, ...others } = selectTests(concerned, { ...options, shard });
  if (files.length === 0) {
    if (changed === undefined && others.ofOtherShards.length === 0)
      throw new Error(`no test file's path contains ${options.only.map(text => JSON.stringify(text)).join(' or ')}`);
    print(`${leftOutReport(others, options)}no test file ${changed === undefined ? 'is in this shard' : 'imports what was changed'}\n`);
    return true;
  }
  const results: FileResult[] = [];
  const withServers = filesWithServers(files, graph);
  const missing = withServers.length === 0 ? undefined : await installServerPackages(print);
  const endBrowser = missing === undefined ? await shareBrowser(files, graph) : undefined;
  const begin = performance.now();
  const isSkipped = (file: TestFile): boolean => missing !== undefined && withServers.includes(file);
  const report = (result: FileResult): void => {
    results.push(result);
    print(fileReport(result));
  };
  for (const { source } of files.filter(isSkipped)) report(FileResult.skipped(source, missing ?? ''));
  const groups = groupFiles(
    repositoryRoot,
    files.filter(file => !isSkipped(file)),
  );
  const atOnce = availableParallelism() * 2;
  const limits =
    options.concurrency === undefined ? { limit: atOnce, most: atOnce * 2, hasRoom: roomMeter() } : { limit: Number(options.concurrency) };
  const running = new RunningFiles();
  await inPool(groups, limits, async group => {
    const end = running.begin(group);
    (await runFiles(group, group.some(isLong) ? longTimeLimit : timeLimit)).forEach(report);
    end();
  });
  running.close();
  await endBrowser?.();
  const budget = budgetReport(results);
  print(
    `${skipReport(results)}${timeReport(results)}${budget}${leftOutReport(others, options)}\n${closingReport(results, performance.now() - begin)}`,
  );

  const failed = results.filter(result => result.failed).map(({ source }) => source);
  const skipped = results.filter(result => result.skips.length > 0).map(({ source }) => source);
  if (failed.length > 0) print(`\nFailed: ${failed.join(', ')}\n`);
  if (options['no-skip'] && skipped.length > 0) print(`\nSkipping is not allowed here: ${skipped.join(', ')}\n`);
  return failed.length === 0 && !(options['no-skip'] && skipped.length > 0) && !(options.budget && budget !== '');
}

function print(text: string): void {
  process.stdout.write(text);
}
