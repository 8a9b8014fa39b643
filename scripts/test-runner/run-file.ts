/** Runs test files and collects what node's test runner reports about them. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { FileResult } from './file-result.js';
import { leakedSecret } from './leaked-secrets.js';
import { runtimeFault } from './runtime-faults.js';
import { readUsage, usageVariable } from './usage.js';
import type { TestEvent } from 'node:test/reporters';
import type { TestFile } from './test-files.js';

/** Milliseconds after the time limit in which the runtime may end the process itself. */
const graceMs = 1000;
const groupModule = new URL('./group.js', import.meta.url).href;

interface Ended {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string; readonly error?: Error };
}

/**
 * Runs the files in a process of their own, one after another. One run per process: the events of a run do not name the file
 * to which a test of a shared suite belongs.
 * What a fault of Node.js itself ended is repeated once.
 * @param timeout milliseconds, after which the process is ended and what was not finished has failed.
 */
export async function runFiles(files: readonly TestFile[], timeout: number): Promise<FileResult[]> {
  const results = await runOnce(files, timeout);
  const fault = results.some(({ failed }) => failed) ? runtimeFault(results.map(({ output }) => output).join('')) : undefined;
  if (fault === undefined) return results;
  const repeated = await runOnce(files, timeout);
  for (const result of repeated) result.notes.push(`repeated, since Node.js itself aborted: ${fault.replace(/\s+/g, ' ')}`);
  return repeated;
}

async function runOnce(files: readonly TestFile[], timeout: number): Promise<FileResult[]> {
  const results = new Map(files.map(({ source, compiled }) => [compiled, new FileResult(source)]));
  const [first] = files;
  if (first === undefined) return [];
  const entry = files.length === 1 ? first.compiled : writeEntry(files);
  await collect(entry, results, timeout);
  for (const [compiled, result] of results) finish(result, compiled);
  return [...results.values()];
}

let entries = 0;

/** @returns path of a module that runs the files. */
function writeEntry(files: readonly TestFile[]): string {
  const entry = join(tmpdir(), `group-${++entries}.mjs`);
  const paths = files.map(({ compiled }) => compiled);
  writeFileSync(entry, `import { runGroup } from ${JSON.stringify(groupModule)};\nawait runGroup(${JSON.stringify(paths)});\n`);
  return entry;
}

/** @param results by the compiled file; one if `entry` is it, else those whose suites `entry` declares. */
async function collect(entry: string, results: ReadonlyMap<string, FileResult>, timeout: number): Promise<void> {
  const isGroup = !results.has(entry);
  const depth = isGroup ? 1 : 0;
  const ended = new Set<FileResult>();
  let [current = new FileResult(entry)] = results.values();
  // Node.js 20 ends the process at the time limit, 24 only the test in it.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`the file timed out after ${timeout}ms`)), timeout + graceMs);
  for await (const { type, data } of run({ files: [entry], timeout, signal: limit.signal }) as AsyncIterable<TestEvent>) {
    const own = ownResult(data as Partial<Ended> | undefined, results);
    if (type === 'test:diagnostic') {
      if (data.file === undefined) current.closing.push(withoutFiles(data.message, isGroup ? results.size : 0));
      else current.output += `${data.message}\n`;
    } else if (type === 'test:stdout' || type === 'test:stderr') current.output += data.message;
    else if (type === 'test:complete' && data.name === entry) current.milliseconds = data.details.duration_ms;
    else if (type === 'test:start' && own !== undefined) current = own;
    else if (type === 'test:start' && data.name !== entry) current.started(data.name, data.nesting - depth);
    else if (type === 'test:pass' || type === 'test:fail') {
      if (isGroup && data.name === entry) {
        if (type === 'test:fail') failRest(results, ended, data.details);
      } else note(own ?? current, { isFile: own !== undefined, passed: type === 'test:pass' }, data, depth);
      if (own !== undefined) ended.add(own);
    }
  }
  clearTimeout(timer);
  // A process that ends in the middle of a test is not reported where others had results.
  for (const result of isGroup ? results.values() : [])
    if (!ended.has(result) && !result.isEmpty && !result.failed)
      result.failures.push({ path: [], error: 'the process ended before the file did' });
}

/** @returns the result of the file that the event is about, rather than one of its tests. */
function ownResult(data: Partial<Ended> | undefined, results: ReadonlyMap<string, FileResult>): FileResult | undefined {
  return data?.nesting === 0 && data.name !== undefined ? results.get(data.name) : undefined;
}

/** The process ended before some files did, or failed for another reason than a test. */
function failRest(results: ReadonlyMap<string, FileResult>, ended: ReadonlySet<FileResult>, { error }: Ended['details']): void {
  const all = [...results.values()];
  const rest = all.filter(result => !ended.has(result));
  const concerned = rest.length > 0 || all.some(({ failed }) => failed) ? rest : all.slice(-1);
  for (const result of concerned) result.failures.push({ path: [], error });
}

/** The suites of a group are its files. */
function withoutFiles(line: string, files: number): string {
  return line.replace(/(?<=^suites )\d+$/, count => String(Number(count) - files));
}

function finish(result: FileResult, compiled: string): void {
  result.usage = readUsage(process.env[usageVariable] ?? '', compiled);
  result.milliseconds = result.usage?.milliseconds ?? result.milliseconds;
  const leaked = leakedSecret(result.output);
  if (leaked !== undefined) result.failures.push({ path: [], error: `the file printed a secret: ${leaked}` });
  if (result.isEmpty) result.failures.push({ path: [], error: 'the file declares no test' });
}

/** The file itself is reported as a test when it fails as a whole or declares none. */
function note(
  result: FileResult,
  { isFile, passed }: { readonly isFile: boolean; readonly passed: boolean },
  { name, nesting, skip, todo, details }: Ended,
  depth: number,
): void {
  const path = isFile ? [] : result.pathOf(name, nesting - depth);
  if (skip !== undefined && skip !== false) result.skips.push({ path, reason: typeof skip === 'string' ? skip : '' });
  else if (todo !== undefined && todo !== false) result.todo++;
  else if (!passed) {
    if (!repeats(details.error)) result.failures.push({ path, error: details.error });
  } else if (details.type !== 'suite' && path.length > 0) result.passed++;
}

/** Whether the error only says that a nested test, which was reported, failed. */
function repeats(error: Error | undefined): boolean {
  return error !== undefined && 'failureType' in error && error.failureType === 'subtestsFailed';
}
