/** Long work in small pieces. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items worked on together: with a signature each, a few milliseconds. */
const sliceItems = 16;

/** Results of `work` in the order of the items. Other requests get their turn between slices. */
export async function inSlices<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += sliceItems) {
    if (start > 0) await nextTurn();
    results.push(...(await Promise.all(items.slice(start, start + sliceItems).map(work))));
  }
  return results;
}
