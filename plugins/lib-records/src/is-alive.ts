/** Whether a process of this machine works still. */
import { readFileSync } from 'node:fs';

/** @returns false also for one that has ended and that its parent has taken no note of. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

/** Only Linux says so. */
function isZombie(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may have any characters.
    return text.charAt(text.lastIndexOf(')') + 2) === 'Z';
  } catch {
    return false;
  }
}
