/**
 * The process of one query. It gets one job, answers once and ends. The engine opens no file but those of the folder, and no
 * network; the process has no environment of the server. It watches its own memory and files, and ends with the server.
 */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel/errors';
import { folders, tablesMade } from './job.js';
import { runJob } from './run-job.js';
import type { Job, JobAnswer } from './job.js';

/** Milliseconds between two measurements. */
const watchInterval = 25;
/** Bytes of the process beyond what its engine may have: Node.js, the program itself, what the engine does not count. */
const overhead = 256 * 2 ** 20;
/** Characters; queries can make the engine say much. */
const longestMessage = 4000;

/** Without the server nothing reads the answer. */
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.once('message', (job: Job) => {
  endFirstWhenMemoryIsShort();
  watch(job);
  runJob(job, tablesTaken).then(answer, (error: unknown) => answer(refusal(messageOf(error))));
});

async function tablesTaken(): Promise<void> {
  const taken = new Promise(resolve => process.once('message', resolve));
  process.send?.(tablesMade);
  await taken;
}

/** The engine knows the limits of memory and of spilled rows, too. */
function refusal(message: string): JobAnswer {
  if (!message.startsWith('Out of Memory Error')) return { kind: 'refused', message: message.slice(0, longestMessage) };
  return { kind: 'exceeded', what: message.includes('max_temp_directory_size') ? 'disk' : 'memory' };
}

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
  const places = Object.values(folders).map(name => join(folder, name));
  const size = (): number => places.reduce((sum, place) => sum + sizeOf(place), 0);
  const most = size() + disk;
  setInterval(() => {
    if (process.memoryUsage.rss() > memory + overhead) answer({ kind: 'exceeded', what: 'memory' });
    else if (size() > most) answer({ kind: 'exceeded', what: 'disk' });
  }, watchInterval).unref();
}

/** Bytes of the files of a folder. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
