/** Which process something on disk belongs to, and whether that process still runs. */
import { hostname } from 'node:os';
import { isAlive } from '@srv/lib-records/is-alive';

export interface Owner {
  readonly pid: number;
  readonly host: string;
}

export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname() };
}

/** Files that this process owns now: in the shell, it outlives what it does with them. */
export const owned = new Set<string>();

/** Whether the owner no longer works with its file. */
export function isOrphaned(file: string, owner: Owner): boolean {
  const { pid, host } = thisProcess();
  return owner.pid === pid && owner.host === host ? !owned.has(file) : isGone(owner);
}

/** Whether the process is known to have ended; nothing is known of other hosts. */
export function isGone({ pid, host }: Owner): boolean {
  return host === hostname() && !isAlive(pid);
}
