/** The most memory that this process held while something ran in it. */
import { readFileSync } from 'node:fs';

/**
 * Samples the memory of the process. Pages of mapped files, which the system may take back, are left out where it reports them
 * separately. `stop` returns the peak in MiB.
 */
export function watchMemory(): { stop(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, ownMemory());
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(peak / 2 ** 20);
    },
  };
}

function ownMemory(): number {
  try {
    const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return kib === undefined ? process.memoryUsage.rss() : Number(kib) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}
