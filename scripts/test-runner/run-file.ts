/** Runs one test file and collects what node's test runner reports about it. */
import { run } from 'node:test';
import { FileResult } from './file-result.js';
import { leakedSecret } from './leaked-secrets.js';
import { readUsage, usageVariable } from './usage.js';
import type { TestEvent } from 'node:test/reporters';
import type { TestFile } from './test-files.js';

/** Milliseconds after the time limit in which the runtime may end the process itself. */
const graceMs = 1000;

interface Ended {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string; readonly error?: Error };
}

/**
 * Runs the file in a process of its own. One run per file: the events of a run do not name the file to which a test of a
 * shared suite belongs.
 * @param timeout milliseconds, after which the process is ended and the file has failed.
 */
export async function runFile({ source, compiled }: TestFile, timeout: number): Promise<FileResult> {
  const result = new FileResult(source);
  // Node.js 20 ends the process at the time limit, 24 only the test in it.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`the file timed out after ${timeout}ms`)), timeout + graceMs);
  for await (const { type, data } of run({ files: [compiled], timeout, signal: limit.signal }) as AsyncIterable<TestEvent>) {
    if (type === 'test:diagnostic') {
      if (data.file === undefined) result.closing.push(data.message);
      else result.output += `${data.message}\n`;
    } else if (type === 'test:stdout' || type === 'test:stderr') result.output += data.message;
    else if (type === 'test:complete' && data.name === compiled) result.milliseconds = data.details.duration_ms;
    else if (type === 'test:start' && data.name !== compiled) result.started(data.name, data.nesting);
    else if (type === 'test:pass' || type === 'test:fail') ended(result, compiled, type === 'test:pass', data);
  }
  clearTimeout(timer);
  result.usage = readUsage(process.env[usageVariable] ?? '', compiled);
  const leaked = leakedSecret(result.output);
  if (leaked !== undefined) result.failures.push({ path: [], error: `the file printed a secret: ${leaked}` });
  if (result.isEmpty) result.failures.push({ path: [], error: 'the file declares no test' });
  return result;
}

/** The file itself is reported as a test when it fails as a whole or declares none. */
function ended(result: FileResult, compiled: string, passed: boolean, { name, nesting, skip, todo, details }: Ended): void {
  const path = name === compiled ? [] : result.pathOf(name, nesting);
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
