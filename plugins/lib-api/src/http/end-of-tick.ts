/**
 * Responses of one turn of the event loop leave together: the system wakes the receiver for the first of them and finds it
 * awake for the rest.
 */

let waiting: (() => void)[] = [];

/** Runs what this turn deferred, in order. */
function run(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) work();
}

/** Runs `work` at the end of this turn of the event loop. It must not throw. */
export function atEndOfTick(work: () => void): void {
  if (waiting.length === 0) setImmediate(run);
  waiting.push(work);
}
