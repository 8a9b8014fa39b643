/** Requests that each row of a list makes, as it comes into sight: a few at a time, so that others have their turn. */

const most = 4;
const waiting: (() => void)[] = [];
let busy = 0;

/** @param signal a task that is not needed any more never starts. @throws what the task throws; an `AbortError`. */
export async function fewAtATime<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (busy >= most) await new Promise<void>(resolve => waiting.push(resolve));
  else busy++;
  try {
    signal.throwIfAborted();
    return await task();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else busy--;
  }
}
