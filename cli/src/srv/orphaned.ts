/** A server that a package runner started ends with it, however that ended. */
import { readFileSync } from 'node:fs';

const periodMs = 1000;

/** Resolves when the package runner above this process is gone; never without a package runner. */
export function untilOrphaned({ env } = process): Promise<string> {
  if (env['npm_lifecycle_event'] === undefined) return new Promise(() => {});
  const before = ancestors();
  return new Promise(resolve => {
    const timer = setInterval(() => {
      if (ancestors() === before) return;
      clearInterval(timer);
      resolve('end of npm');
    }, periodMs).unref();
  });
}

/**
 * The runner, as far as the system reports it: the parent, and if that is a shell that the runner started, its parent too.
 * What is above the runner may end without it.
 */
function ancestors(): string {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    const isShell = /^(?:ba|da|a|z|k)?sh$|^busybox$/.test(stat.slice(stat.indexOf('(') + 1, end));
    return isShell ? `${process.ppid} ${stat.slice(end + 2).split(' ')[1] ?? ''}` : String(process.ppid);
  } catch {
    return String(process.ppid);
  }
}
