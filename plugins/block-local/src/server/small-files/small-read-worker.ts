/** Entry point of a thread that reads small files. */
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { codeOf, failureOf, missing } from '../files/error-codes.js';
import { readPlainFile } from '../files/open-flags.js';
import type { ReadJob, ReadResult } from './small-reads.js';

parentPort?.on('message', ({ jobs }: { readonly jobs: readonly ReadJob[] }) => {
  const bytes = new Uint8Array(jobs.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  const results = jobs.map(job => {
    const result = read(job, bytes.subarray(at, at + job.length));
    at += job.length;
    return result;
  });
  parentPort?.postMessage(results, [bytes.buffer]);
});

function read({ path, start }: ReadJob, into: Uint8Array): ReadResult {
  try {
    const file = openSync(path, readPlainFile);
    try {
      return into.subarray(0, readSync(file, into, 0, into.length, start));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return missing.some(code => code === codeOf(error)) ? undefined : failureOf(error);
  }
}
