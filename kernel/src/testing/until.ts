/** Waits for what happens a moment later: tests must not guess how long that takes on a busy machine. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds: longer than a busy machine needs for anything a test waits for. */
const timeoutMs = 60_000;
/** Milliseconds between two questions. */
const interval = 5;

/**
 * Asks until the answer is neither `undefined` nor `false`.
 * @returns that answer.
 * @throws Error that names the question, after a minute.
 */
export async function until<T>(ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  for (const end = performance.now() + timeoutMs; ; await sleep(interval)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    if (performance.now() > end) throw new Error(`it did not come true within a minute: ${ask.toString()}`);
  }
}
