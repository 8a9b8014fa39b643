/** The thread that reads ranges and sorts ids. It answers requests one after the other. */
import { parentPort } from 'node:worker_threads';
import { answer } from './work.js';
import type { WorkerRequest } from './work.js';

parentPort?.on('message', (request: WorkerRequest) => parentPort?.postMessage(answer(request)));
