/** What happened in one test file. */
import type { Usage } from './usage.js';

interface Failure {
  /** Names of the enclosing suites and tests, then its own; empty for the file as a whole. */
  readonly path: readonly string[];
  readonly error: Error | string | undefined;
}

interface Skip {
  readonly path: readonly string[];
  /** `''`: none was given. */
  readonly reason: string;
}

export class FileResult {
  /** Relative to the repository. */
  readonly source: string;
  readonly failures: Failure[] = [];
  readonly skips: Skip[] = [];
  passed = 0;
  todo = 0;
  milliseconds = 0;
  /** Absent when the file was killed, or not run. */
  usage: Usage | undefined;
  /** What the file printed. */
  output = '';
  /** About the run; printed below its line. */
  readonly notes: string[] = [];
  /** Lines of the runner's summary, such as `tests 12`. */
  readonly closing: string[] = [];
  /** Names of the tests that are open, by nesting. */
  readonly #names: string[] = [];

  constructor(source: string) {
    this.source = source;
  }

  /** The result of a file that was not run. */
  static skipped(source: string, reason: string): FileResult {
    const result = new FileResult(source);
    result.skips.push({ path: ['the whole file'], reason });
    result.closing.push('skipped 1');
    return result;
  }

  started(name: string, nesting: number): void {
    this.#names.splice(nesting, Infinity, name);
  }

  /** Names of the enclosing suites and tests, then `name`. */
  pathOf(name: string, nesting: number): string[] {
    return [...this.#names.slice(0, nesting), name];
  }

  get failed(): boolean {
    return this.failures.length > 0;
  }

  get isEmpty(): boolean {
    return this.passed + this.todo + this.failures.length + this.skips.length === 0;
  }
}
