/** Outcomes of the tests of one file. */
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';

interface SuiteOutcome {
  /** Names of tests. */
  readonly passed: string[];
  readonly failed: string[];
  /** Reasons. */
  readonly skipped: string[];
}

/** Runs a test file. @returns outcomes by outermost suite; what is skipped as a whole counts under its own name. */
export async function outcomesOf(file: string): Promise<Map<string, SuiteOutcome>> {
  const suites = new Map<string, SuiteOutcome>();
  let suite = '';
  for await (const { type, data } of run({ files: [file] }) as AsyncIterable<TestEvent>) {
    if (type === 'test:start' && data.nesting === 0 && data.name !== file) suite = data.name;
    if ((type !== 'test:pass' && type !== 'test:fail') || data.name === file || data.details.type === 'suite') continue;
    const outcome = suites.get(suite) ?? { passed: [], failed: [], skipped: [] };
    suites.set(suite, outcome);
    if (data.skip !== undefined && data.skip !== false) outcome.skipped.push(String(data.skip));
    else (type === 'test:pass' ? outcome.passed : outcome.failed).push(data.name);
  }
  return suites;
}
