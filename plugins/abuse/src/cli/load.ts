/** Work done by many at once, counted. */

import { messageOf } from '@srv/kernel';
import { forEachParallel } from '@srv/lib-commands';
import { Histogram } from './histogram.js';

interface LoadOptions<T> {
  readonly name: string;
  readonly items: Iterable<T> | AsyncIterable<T>;
  readonly parallelism: number;
  /** An abort ends the load early; it is not a failure. */
  readonly signal: AbortSignal;
  readonly work: (item: T) => Promise<unknown>;
  /** Sees a line every second. */
  readonly onLine: (line: string) => void;
}

export interface LoadReport {
  readonly completed: number;
  readonly errors: number;
  readonly seconds: number;
  readonly first_error?: string;
  readonly histogram: string;
}

const tickMs = 1000;

/** Failures are counted, never thrown. */
export async function runLoad<T>({ name, items, parallelism, signal, work, onLine }: LoadOptions<T>): Promise<LoadReport> {
  const state = { completed: 0, errors: 0, first: '', before: 0 };
  const histogram = new Histogram();
  const begun = performance.now();
  const tell = (): void => {
    onLine(`${name} - completed: ${state.completed}, errors: ${state.errors}, current rate: ${state.completed - state.before} done/second`);
    state.before = state.completed;
  };
  const timer = setInterval(tell, tickMs);
  try {
    await forEachParallel(until(items, signal), parallelism, async item => {
      const start = performance.now();
      try {
        await work(item);
        histogram.add(performance.now() - start);
      } catch (error) {
        state.errors++;
        state.first ||= messageOf(error);
      }
      state.completed++;
    });
  } finally {
    clearInterval(timer);
  }
  tell();
  const { completed, errors, first } = state;
  const seconds = (performance.now() - begun) / 1000;
  return { completed, errors, seconds, ...(first ? { first_error: first } : {}), histogram: String(histogram) };
}

export function reportText({ completed, errors, seconds, first_error: first, histogram }: LoadReport): string {
  const rate = (count: number): string => (count / Math.max(seconds, 0.001)).toFixed(2);
  return [
    '',
    ...(first === undefined ? [] : [`First error: ${first}`]),
    `${completed} total with ${errors} failures in ${seconds.toFixed(3)}s`,
    `${rate(completed - errors)} successes/s`,
    `${rate(errors)} failures/s`,
    '',
    histogram,
  ].join('\n');
}

async function* until<T>(items: Iterable<T> | AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

/** 0, 1, 2, … `amount - 1`. */
export function* numbers(amount: number): Generator<number> {
  for (let index = 0; index < amount; index++) yield index;
}
