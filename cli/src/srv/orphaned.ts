/** A server that a package runner started ends with it, however that ended. */
import { readFileSync } from 'node:fs';

const periodMs = 1000;

/** Resolves when the package runner above this process is gone; never, when there was none. */
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

/** The parent, and its parent where the system tells: a runner starts a shell, and that this process. */
function ancestors(): string {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? ''}`;
  } catch {
    return String(process.ppid);
  }
}
