/**
 * The process of one query. It gets one job, answers once and ends. The engine opens no file but those of the folder, and no
 * network; the process has no environment of the server. It watches its own memory and files, and ends with the server.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel/errors';
import { serveJob, watchMemory } from '@srv/lib-api/job-process/serve';
import { folders, tablesMade } from './job.js';
import { runJob } from './run-job.js';
import type { Job, JobAnswer } from './job.js';

/** Milliseconds between two measurements of the files. */
const watchInterval = 25;
/** Bytes of the process beyond what its engine may have: Node.js, the program itself, what the engine does not count. */
const overhead = 256 * 2 ** 20;
/** Characters; queries can make the engine say much. */
const longestMessage = 4000;

serveJob((job: Job, { answer, ask }) => {
  const exceeded = (what: 'memory' | 'disk'): void => answer({ kind: 'exceeded', what } satisfies JobAnswer);
  watchMemory(job.memory + overhead, () => exceeded('memory'));
  watchDisk(job, () => exceeded('disk'));
  runJob(job, () => ask(tablesMade)).then(answer, (error: unknown) => answer(refusal(messageOf(error))));
});

/** The engine knows the limits of memory and of spilled rows, too. */
function refusal(message: string): JobAnswer {
  if (!message.startsWith('Out of Memory Error')) return { kind: 'refused', message: message.slice(0, longestMessage) };
  return { kind: 'exceeded', what: message.includes('max_temp_directory_size') ? 'disk' : 'memory' };
}

function watchDisk({ folder, disk }: Job, exceeded: () => void): void {
  const places = Object.values(folders).map(name => join(folder, name));
  const size = (): number => places.reduce((sum, place) => sum + sizeOf(place), 0);
  const most = size() + disk;
  setInterval(() => {
    if (size() > most) exceeded();
  }, watchInterval).unref();
}

/** Bytes of the files of a folder. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
