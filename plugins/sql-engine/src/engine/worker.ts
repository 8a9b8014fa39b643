/**
 * The process of one query. It gets one job, answers once and ends. The engine opens no file but those of the folder, and no
 * network; the process has no environment of the server. It watches its own memory and files, and ends with the server.
 */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from './job.js';
import { runJob } from './run-job.js';
import type { Job, JobAnswer } from './job.js';

/** Milliseconds between two measurements. */
const watchInterval = 25;
/** Bytes of the process beyond what its engine may have: Node.js, the program itself, what the engine does not count. */
const overhead = 256 * 2 ** 20;

/** Without the server nothing reads the answer. */
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.once('message', (job: Job) => {
  endFirstWhenMemoryIsShort();
  watch(job);
  runJob(job).then(answer, (error: unknown) =>
    answer({ kind: 'refused', message: error instanceof Error ? error.message : String(error) }),
  );
});

function answer(what: JobAnswer): void {
  // The engine may still run: it is not asked to end.
  process.send?.(what, undefined, undefined, () => process.kill(process.pid, 'SIGKILL'));
}

/** Linux ends this process rather than the server. */
function endFirstWhenMemoryIsShort(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system.
  }
}

function watch({ folder, memory, disk }: Job): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > memory + overhead) answer({ kind: 'exceeded', what: 'memory' });
    else if (sizeOf(join(folder, folders.spill)) + sizeOf(join(folder, folders.output)) > disk) answer({ kind: 'exceeded', what: 'disk' });
  }, watchInterval).unref();
}

/** Bytes of the files of a folder; the result is one file, and the engine spills few. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
