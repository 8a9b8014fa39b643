/**
 * Which of the test files run. The whole set is all of them; the default set leaves out those named `*.long.test.ts`, which
 * need servers, a browser or a long time.
 */
import type { TestFile } from './test-files.js';

const longEnd = '.long.test.ts';

export interface Selection {
  readonly files: readonly TestFile[];
  /** Long files that this run leaves out. */
  readonly leftOut: readonly TestFile[];
  /** Files that other shards run. */
  readonly ofOtherShards: readonly TestFile[];
}

/** One of `count` parts of the files; `index` from 1. */
interface Shard {
  readonly index: number;
  readonly count: number;
}

export const isLong = ({ source }: Pick<TestFile, 'source'>): boolean => source.endsWith(longEnd);

interface LongFiles {
  /** Whether all of them run, too. They also run when there are no others: `--only` then names them. */
  readonly all: boolean;
  /** Parts of the paths of those that run in any case. */
  readonly with?: readonly string[];
  /** Default: the whole. Those that `with` names run in each shard. */
  readonly shard?: Shard | undefined;
}

/** @param text as in `2/3`. @throws Error that names it. */
export function shardOf(text: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count) throw new Error(`--shard ${text}: write which part of how many, such as 2/3`);
  return { index, count };
}

export function selectTests(files: readonly TestFile[], { all, with: named = [], shard }: LongFiles): Selection {
  const quick = files.filter(file => !isLong(file));
  const long = files.filter(isLong);
  const inAnyCase = long.filter(({ source }) => named.some(text => source.includes(text)));
  const further = long.filter(file => !inAnyCase.includes(file));
  const wanted = all || quick.length === 0 ? further : [];
  // Each kind for itself, so that every shard has its part of the long ones.
  const isOwn = (_: TestFile, i: number): boolean => shard === undefined || i % shard.count === shard.index - 1;
  // Begun last, a long one would run alone in the end.
  const own = [...inAnyCase, ...wanted.filter(isOwn), ...quick.filter(isOwn)];
  return {
    files: own,
    leftOut: further.filter(file => !wanted.includes(file)),
    ofOtherShards: [...wanted, ...quick].filter(file => !own.includes(file)),
  };
}

interface RunOptions {
  readonly only: readonly string[];
  readonly changed: boolean;
}

/** What a run left out, and how to run it; `''` when it left out nothing. */
export function leftOutReport({ leftOut, ofOtherShards }: Omit<Selection, 'files'>, { only, changed }: RunOptions): string {
  const others = ofOtherShards.length === 0 ? '' : `\nLeft out: ${countOf(ofOtherShards)} of other shards.\n`;
  if (leftOut.length === 0) return others;
  const options = [...only.filter(text => text !== '').map(text => `--only ${text}`), ...(changed ? ['--changed'] : [])];
  const command = ['npm run test:all', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
  return `${others}\nLeft out: ${countOf(leftOut, 'long ')} (*${longEnd}). To run them, too: ${command}\n`;
}

function countOf({ length }: readonly TestFile[], kind = ''): string {
  return `${length} ${kind}test ${length === 1 ? 'file' : 'files'}`;
}
