/**
 * Which of the test files run. The whole set is all of them; the default set leaves out those named `*.long.test.ts`, which
 * need servers, a browser or a long time.
 */
import type { TestFile } from './test-files.js';

const longEnd = '.long.test.ts';

interface Selection {
  readonly files: readonly TestFile[];
  /** Long files that this run leaves out. */
  readonly leftOut: readonly TestFile[];
}

export const isLong = ({ source }: Pick<TestFile, 'source'>): boolean => source.endsWith(longEnd);

interface LongFiles {
  /** Whether all of them run, too. They also run when there are no others: `--only` then names them. */
  readonly all: boolean;
  /** Parts of the paths of those that run in any case. */
  readonly with?: readonly string[];
}

export function selectTests(files: readonly TestFile[], { all, with: named = [] }: LongFiles): Selection {
  const quick = files.filter(file => !isLong(file));
  const long = files.filter(isLong);
  const runs = ({ source }: TestFile): boolean => all || quick.length === 0 || named.some(text => source.includes(text));
  // Begun last, a long one would run alone in the end.
  return { files: [...long.filter(runs), ...quick], leftOut: long.filter(file => !runs(file)) };
}

interface RunOptions {
  readonly only: readonly string[];
  readonly changed: boolean;
}

/** What a run left out, and how to run it; `''` when it left out nothing. */
export function leftOutReport(leftOut: readonly TestFile[], { only, changed }: RunOptions): string {
  if (leftOut.length === 0) return '';
  const options = [...only.filter(text => text !== '').map(text => `--only ${text}`), ...(changed ? ['--changed'] : [])];
  const command = ['npm run test:all', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
  return `\nLeft out: ${leftOut.length} long test ${leftOut.length === 1 ? 'file' : 'files'} (*${longEnd}). To run them, too: ${command}\n`;
}
