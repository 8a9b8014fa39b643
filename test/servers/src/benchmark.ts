/** What a benchmark is, and how it measures. */

/**
 * A module of `scripts/bench` exports one by default, or `test/bench.ts` of the plugin that it measures: without the folder of
 * a feature there is no benchmark of it.
 *
 * @example
 * export default {
 *   name: 'sorting',
 *   description: 'How long the runtime sorts',
 *   async run({ smoke }) {
 *     const numbers = Array.from({ length: smoke ? 1_000 : 1_000_000 }, Math.random);
 *     return [{ what: `${numbers.length} numbers`, value: await median(5, () => numbers.toSorted()), unit: 'ms' }];
 *   },
 * } satisfies Benchmark;
 */
export interface Benchmark {
  /** As given to `npm run bench -- <name>`. */
  readonly name: string;
  /** One line: what is measured. */
  readonly description: string;
  /** Folder in `plugins` without which there is nothing to measure. */
  readonly plugin?: string;
  /** Cleans up after itself, whether it succeeds or not. */
  run(options: BenchmarkOptions): Promise<readonly BenchmarkRow[]>;
}

export interface BenchmarkOptions {
  /** Only shows that the benchmark works: tiny sizes, one repetition, done within seconds. */
  readonly smoke: boolean;
}

/** One measurement. */
export interface BenchmarkRow {
  readonly what: string;
  readonly value: number;
  /** `ms`, `MiB`, `objects/s`, … */
  readonly unit: string;
  /** How many times the value of something else it is. */
  readonly ratio?: { readonly to: string; readonly value: number };
}

/** Milliseconds that `work` takes. */
export async function timeOf(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Middle of the milliseconds that `work` takes, run after run; it receives the number of runs so far. @param repeat at least 1. */
export async function median(repeat: number, work: (turn: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < repeat; turn++) times.push(await timeOf(() => work(turn)));
  return middle(times);
}

/** The middle value; of an even number the lower middle one. @throws RangeError for none. */
export function middle(values: readonly number[]): number {
  const found = values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
  if (found === undefined) throw new RangeError('the middle of nothing');
  return found;
}

/** @returns how many a second, rounded. */
export function rate(count: number, milliseconds: number): number {
  return Math.round((count / milliseconds) * 1000);
}
