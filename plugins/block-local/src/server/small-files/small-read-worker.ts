/** Entry point of a thread that reads small files. */
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { codeOf, failureOf, missing } from '../files/error-codes.js';
import { readPlainFile } from '../files/open-flags.js';
import { failedRead, missingFile } from './small-read-messages.js';
import type { ThreadFailure } from './batch-threads.js';
import type { ReadAnswer, ReadBatch } from './small-read-messages.js';

parentPort?.on('message', ({ paths, starts, lengths }: ReadBatch) => {
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  const failures = new Map<number, ThreadFailure>();
  let end = 0;
  const sizes = paths.map((path, i) => {
    try {
      const size = read(path, bytes.subarray(end, end + (lengths[i] ?? 0)), starts[i] ?? 0);
      end += size;
      return size;
    } catch (error) {
      if (missing.some(code => code === codeOf(error))) return missingFile;
      failures.set(i, failureOf(error));
      return failedRead;
    }
  });
  const answer: ReadAnswer = { bytes, sizes, failures };
  parentPort?.postMessage(answer, [bytes.buffer]);
});

function read(path: string, into: Uint8Array, start: number): number {
  const file = openSync(path, readPlainFile);
  try {
    return readSync(file, into, 0, into.length, start);
  } finally {
    closeSync(file);
  }
}
