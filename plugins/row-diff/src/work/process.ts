/**
 * The process of one comparison. A thread compares, so that its memory can be watched meanwhile: all of it counts, also what V8 does not limit. A
 * thread that makes a single large value beyond its limit ends the process, which the server takes for the same.
 */
import { Worker } from 'node:worker_threads';
import { messageOf } from '@srv/kernel/errors';
import { serveJob, watchMemory } from '@srv/lib-api/job-process/serve';
import type { WorkAnswer, WorkRequest } from './request.js';

/** Bytes of the process beyond what the comparison may have: Node.js, and the program itself. */
const overhead = 128 * 2 ** 20;

serveJob((request: WorkRequest, { answer }) => {
  const exceeded = (): void => answer({ done: false } satisfies WorkAnswer);
  watchMemory(request.memory + overhead, exceeded);
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: Math.floor(request.memory / 2 ** 20) },
  });
  worker.once('message', answer);
  worker.once('error', (error: Error & { code?: string }) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') exceeded();
    else answer({ message: messageOf(error) } satisfies WorkAnswer);
  });
});
