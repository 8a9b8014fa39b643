/** What the store and its writing threads tell each other. */
import type { BigIntStats } from 'node:fs';
import type { ThreadFailure } from './batch-threads.js';

/** A file to be written, synced and named. */
export interface WriteJob {
  /** Path of a file that does not exist yet. */
  readonly temporary: string;
  /** Path the file gets; absent: it keeps its temporary one. */
  readonly target: string | undefined;
  /** Path of which is told whether something is there. */
  readonly shadowed: string;
  /** Bytes, which follow those of the jobs before it. */
  readonly size: number;
}

/** Jobs and the bytes of all of them, one after the other. */
export interface WriteBatch {
  readonly jobs: readonly WriteJob[];
  readonly bytes: ArrayBuffer;
}

/** What tells one state of a file from another. */
export type FileState = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

export interface WrittenSmall {
  readonly state: FileState;
  /** Whether the file bears its name; otherwise it lies at its temporary path, where a rename may yet succeed. */
  readonly placed: boolean;
  /** Whether something lies at the job's `shadowed` path. */
  readonly shadows: boolean;
}

export type WriteResult = WrittenSmall | ThreadFailure;
