/** A thread that runs schedules: the hooks of the test runner, which cost a third of the time, are not in it. */
import { workerData } from 'node:worker_threads';
import { runSchedules } from './model.js';

await runSchedules(workerData as readonly number[]);
