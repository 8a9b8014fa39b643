/** A thread that makes one comparison. */
import { workerData } from 'node:worker_threads';
import { messageOf } from '@srv/kernel/errors';
import { postLast } from '@srv/kernel/threads';
import { compareTables } from './compare.js';
import type { WorkAnswer, WorkRequest } from './request.js';

const answer: WorkAnswer = await compareTables(workerData as WorkRequest).then(
  () => ({ done: true }) as const,
  (error: unknown) => ({ message: messageOf(error) }),
);
postLast(answer);
