/** Entry point of the thread that retires segments of the journal. */
import { closeSync, fstatSync, fsyncSync, openSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { codeOf, failureOf, missing } from '../files/error-codes.js';
import { readPlainFile } from '../files/open-flags.js';
import { syncFolder } from './journal-append.js';
import { decodeSegment } from './journal-format.js';
import { hashOf } from './journal-segments.js';
import { maxSegmentBytes, readSegment } from './read-segment.js';
import type { RetireJob, RetireResult } from './retirement.js';

parentPort?.on('message', ({ job }: { readonly job: RetireJob }) => {
  parentPort?.postMessage(answer(job));
});

/** The same memory for each segment: what is left of one would stay for long. */
let memory = Buffer.alloc(0);

function reuse(size: number): Buffer {
  if (memory.length < size) memory = Buffer.allocUnsafeSlow(size);
  return memory.subarray(0, size);
}

function answer({ kind, path, base }: RetireJob): RetireResult {
  try {
    const bytes = readSegment(path, maxSegmentBytes, reuse);
    const records = (bytes && decodeSegment(bytes)?.records) ?? [];
    if (kind === 'names') return new Set(Array.from(records, ({ record }) => hashOf(record.name)));
    const folders = new Set<string>();
    for (const { record } of records) {
      const file = `${base}/${record.name}`;
      sync(file);
      folders.add(dirname(file));
    }
    for (const folder of folders) unlessMissing(() => syncFolder(folder));
    remove(path);
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

/** A file that was removed, or replaced by something else, no longer concerns the journal. */
function sync(path: string): void {
  unlessMissing(() => {
    const file = openSync(path, readPlainFile);
    try {
      if (fstatSync(file).isFile()) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}

/** Before anything relies on a segment having ended, its removal must last. */
function remove(segment: string): void {
  unlessMissing(() => unlinkSync(segment));
  unlessMissing(() => syncFolder(dirname(segment)));
}

function unlessMissing(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!missing.some(code => code === codeOf(error))) throw error;
  }
}
