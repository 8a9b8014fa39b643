/** Entry point of a thread that writes small files. */
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { failureOf } from './error-codes.js';
import type { ThreadFailure } from './batch-threads.js';
import type { FileState, WriteBatch, WriteJob, WriteResult } from './small-write-messages.js';

parentPort?.on('message', ({ jobs, bytes }: WriteBatch) => {
  let at = 0;
  // Everything is written before anything is synced: the system then syncs the later files along with the first.
  const open = jobs.map(job => {
    const content = new Uint8Array(bytes, at, job.size);
    at += job.size;
    return { job, file: attempt(() => write(job, content)) };
  });
  parentPort?.postMessage(open.map(({ job, file }): WriteResult => (typeof file === 'number' ? attempt(() => finish(job, file)) : file)));
});

function write({ temporary }: WriteJob, content: Uint8Array): number {
  const file = openSync(temporary, 'wx', 0o666);
  return orRemove(temporary, () => {
    try {
      for (let done = 0; done < content.length; ) done += writeSync(file, content, done);
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  });
}

function finish({ temporary, target, shadowed }: WriteJob, file: number): WriteResult {
  const state = orRemove(temporary, () => synced(file));
  return { state, placed: target !== undefined && placed(temporary, target), shadows: existsSync(shadowed) };
}

/** Syncs and closes. */
function synced(file: number): FileState {
  try {
    fsyncSync(file);
    const { dev, ino, size, mtimeNs } = fstatSync(file, { bigint: true });
    return { dev, ino, size, mtimeNs };
  } finally {
    closeSync(file);
  }
}

/** Whoever asked finds out what is in the way. */
function placed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Removes the file when `work` fails. */
function orRemove<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    try {
      rmSync(path, { force: true });
    } catch {
      // The next start removes it.
    }
    throw error;
  }
}

function attempt<T>(work: () => T): T | ThreadFailure {
  try {
    return work();
  } catch (error) {
    return failureOf(error);
  }
}
