/** Appends to a segment of the journal, with plain calls: it runs in a thread. */
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../files/error-codes.js';
import { encodeHead, encodeRecords } from './journal-format.js';
import type { JournalRecord } from './journal-format.js';

/** Where the journal continues. */
export interface SegmentEnd {
  readonly path: string;
  /** Bytes it has; 0: it has to be made. */
  readonly size: number;
  /** Of the running system. */
  readonly bootId: string;
}

/**
 * Appends records; they are on the disk when this returns.
 * @returns the bytes the segment has now.
 * @throws an error after which the end of the segment is unknown: nothing may be appended to it any more.
 */
export function appendRecords({ path, size, bootId }: SegmentEnd, records: readonly JournalRecord[]): number {
  const run = encodeRecords(records);
  const isNew = size === 0;
  const bytes = isNew ? Buffer.concat([encodeHead(bootId), run]) : run;
  const file = isNew ? make(path) : openSync(path, 'r+');
  try {
    // An end other than ours would hide the records after a torn one.
    if (fstatSync(file).size !== size) throw new Error(`${path}: ${fstatSync(file).size} bytes long instead of ${size}`);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, size + done);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  if (isNew) syncFolder(dirname(path));
  return size + bytes.length;
}

/** Makes a segment, and the folder of the journal when it is not there. */
function make(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const folder = dirname(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The names of both folders, of which the upper one may be new, too.
    syncFolder(dirname(folder));
    syncFolder(dirname(dirname(folder)));
    return openSync(path, 'wx', 0o600);
  }
}

export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
