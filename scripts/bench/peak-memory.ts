/**
 * Loaded into a child process before its program: at its end, writes the most memory it ever had, in bytes, to descriptor 3.
 * The kernel's own figure of the process is read where there is one: what `resourceUsage` reports counts the parent too.
 */
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Threads of the program load it, too.
if (isMainThread) process.on('exit', () => writeSync(3, String(peak())));

function peak(): number {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kibibytes !== undefined) return Number(kibibytes) * 1024;
  } catch {
    // Only Linux has the file.
  }
  return process.resourceUsage().maxRSS * 1024;
}
