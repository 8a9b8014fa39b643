/** How a program ended that has the terminal together with this one. */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { ProcessListeners } from '../process-listeners.js';
import type { ChildProcess } from 'node:child_process';

const interrupts = new ProcessListeners('SIGINT');
/** Milliseconds that Ctrl-C may take to arrive here after it ended the child. */
const patienceMs = 1000;

/**
 * Resolves when the program has ended and its output is closed. Ctrl-C reaches both programs, and on a busy machine the
 * end of the child is known here before the signal is: what runs next would take that for its own. So it is waited for.
 * Meanwhile an interrupt does not end this program.
 * @param signal aborted: it was ended from here.
 * @returns its exit code; `null`: a signal ended it. @throws what keeps the program from starting.
 */
export async function endOf(child: ChildProcess, signal?: AbortSignal): Promise<number | null> {
  const arrived = new AbortController();
  const arrive = (): void => arrived.abort();
  interrupts.add(arrive);
  try {
    const [code, endedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    const isInterrupted = endedBy === 'SIGINT' || code === 130;
    if (isInterrupted && !signal?.aborted && isatty(0)) await sleep(patienceMs, undefined, { signal: arrived.signal }).catch(() => {});
    return code;
  } finally {
    interrupts.remove(arrive);
  }
}
