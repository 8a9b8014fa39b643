/** For tests that kill a process: what it printed must not wait in its memory. */
import { writeSync } from 'node:fs';

const pause = new Int32Array(new SharedArrayBuffer(4));
const pauseMs = 1;

/** Writes to standard output and returns once the system has all of it. A pipe that is full is waited for. */
export function printNow(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(pause, 0, 0, pauseMs);
    }
  }
}
