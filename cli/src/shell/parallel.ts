/** `parallel` of the shell: the same work for many items, several at a time. */

import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { nameOf } from '@srv/engine/shell';
import { messageOf } from '@srv/kernel';
import { UsageError, forEachParallel, isAnswerError, isUsageError } from '@srv/lib-commands';
import type { ProgressBar } from '@srv/lib-commands';

export interface ParallelOptions {
  /** Items at a time. */
  readonly limit?: number;
  /** How often an item that failed is tried again, after 0.1 s, 0.2 s, 0.4 s, … */
  readonly retries?: number;
  /** Continue after a failure. Default: what the script does. */
  readonly keepGoing?: boolean;
  /** Title of a progress bar; `false`: none. */
  readonly progress?: string | false;
}

interface Surroundings {
  /** Once it is aborted, nothing is begun or tried again. */
  readonly signal: AbortSignal;
  readonly keepGoing: boolean;
  readonly progress: (title: string) => ProgressBar;
}

interface ItemFailure {
  readonly index: number;
  readonly item: unknown;
  readonly error: unknown;
}

/** Failures that the message of {@link ParallelError} names. */
const named = 10;
const firstDelayMs = 100;
/** Refusals that trying again does not change. */
const final = [400, 401, 403, 404, 405, 410, 413];

/** Some items failed. */
class ParallelError extends Error {
  override readonly name = 'ParallelError';
  readonly failures: readonly ItemFailure[];
  /** Those of the items that did not fail, at their places. */
  readonly results: readonly unknown[];

  constructor(failures: readonly ItemFailure[], results: readonly unknown[], begun: number) {
    const lines = failures
      .slice(0, named)
      .map(({ index, item, error }) => `  ${index + 1} ${nameOf(item)}: ${types.isNativeError(error) ? error.message : messageOf(error)}`);
    if (failures.length > named) lines.push(`  and ${failures.length - named} more`);
    super([`${failures.length} of ${begun} items failed:`, ...lines].join('\n'), { cause: failures[0]?.error });
    this.failures = failures;
    this.results = results;
  }
}

/**
 * Calls `fn` for every item.
 * @param options or the number of items at a time; 10 by default.
 * @returns results in the order of the items. @throws {@link ParallelError} with all failures; the reason of the signal.
 */
export async function parallel<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  fn: (item: T, index: number) => Promise<R> | R,
  options: number | ParallelOptions = {},
  { signal, keepGoing: usual, progress: draw }: Surroundings,
): Promise<R[]> {
  const { limit = 10, retries = 0, keepGoing = usual, progress = 'Working' } = typeof options === 'number' ? { limit: options } : options;
  if (!Number.isSafeInteger(limit) || limit < 1) throw new UsageError(`parallel: limit is ${limit}; give a whole number from 1`);
  const results: R[] = [];
  const failures: ItemFailure[] = [];
  let begun = 0;
  const bar = progress === false ? undefined : draw(progress);
  const known = Array.isArray(items) ? items.length : undefined;
  bar?.expect(known ?? 0, known ?? 0);
  try {
    await forEachParallel(numbered(items), limit, async ({ item, index }) => {
      signal.throwIfAborted();
      begun++;
      if (known === undefined) bar?.expect(1, 1);
      try {
        results[index] = await retried(() => fn(item, index), retries, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ index, item, error });
        if (!keepGoing) throw error;
      }
      bar?.advance(1);
      bar?.fileDone();
    });
  } catch (error) {
    // The items themselves could not be read.
    if (signal.aborted || failures.length === 0) throw error;
  } finally {
    bar?.stop();
  }
  if (failures.length > 0)
    throw new ParallelError(
      failures.sort((a, b) => a.index - b.index),
      results,
      begun,
    );
  return results;
}

async function retried<R>(work: () => Promise<R> | R, retries: number, signal: AbortSignal): Promise<R> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || attempt >= retries || isUsageError(error) || isAnswerError(error, ...final)) throw error;
      await sleep(firstDelayMs * 2 ** attempt, undefined, { signal });
    }
  }
}

async function* numbered<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<{ readonly item: T; readonly index: number }> {
  let index = 0;
  for await (const item of items) yield { item, index: index++ };
}
