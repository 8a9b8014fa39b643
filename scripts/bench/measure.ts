/** Time. */

/** The middle value; of an even number the lower middle one. @throws RangeError for none. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
  if (middle === undefined) throw new RangeError('the median of nothing');
  return middle;
}

/** Milliseconds that `work` takes. */
export async function timeOf(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Median of the milliseconds that `work` takes, run after run. */
export async function medianTime(runs: number, work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push(await timeOf(work));
  return median(times);
}
