/**
 * What a benchmark is: a module in this folder that exports `name`, `description` and `run`. `npm run bench` finds it by
 * its file; nothing has to be registered. Modules without `run` are what benchmarks share.
 *
 * @example
 * import { medianTime } from './measure.js';
 * import type { Run } from './benchmark.js';
 *
 * export const name = 'sorting';
 * export const description = 'how long the runtime sorts';
 * export const run: Run = async ({ smoke }) => {
 *   const count = smoke ? 1_000 : 1_000_000;
 *   const numbers = Array.from({ length: count }, Math.random);
 *   return [{ what: `${count} numbers`, value: await medianTime(5, () => numbers.toSorted()), unit: 'ms' }];
 * };
 */
export interface Benchmark {
  /** As given to `npm run bench -- <name>`. */
  readonly name: string;
  /** One line: what is measured. */
  readonly description: string;
  readonly run: Run;
}

/** Cleans up after itself, whether it succeeds or not. */
export type Run = (options: RunOptions) => Promise<readonly Row[]>;

export interface RunOptions {
  /** Only shows that the benchmark works: tiny sizes, one repetition, done within seconds. */
  readonly smoke: boolean;
}

/** One measurement. */
export interface Row {
  readonly what: string;
  readonly value: number;
  /** `ms`, `MB/s`, `objects/s`, … */
  readonly unit: string;
  /** The value in comparison with what the description says, such as the bare runtime. */
  readonly ratio?: number;
}
