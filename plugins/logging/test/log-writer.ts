/** A thread that writes numbered lines to a log file that others write to as well. */
import { workerData } from 'node:worker_threads';
import { RotatingFile } from '../src/server/rotating-file.js';

const { path, id, lines, maxBytes } = workerData as { path: string; id: number; lines: number; maxBytes: number };
const file = new RotatingFile(path, { maxBytes, keep: 0 });
for (let line = 0; line < lines; line++) file.write(`thread ${id} line ${line}\n`);
file.close();
