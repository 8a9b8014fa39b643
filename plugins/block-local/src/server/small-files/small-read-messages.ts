/** Messages between the store and its reading threads. Batches travel in columns: objects would cost more than reading. */
import type { ThreadFailure } from './batch-threads.js';

export interface ReadJob {
  readonly path: string;
  /** First byte. */
  readonly start: number;
  /** Bytes at most. */
  readonly length: number;
}

/** `undefined`: there is no such file. */
export type ReadResult = Buffer | ThreadFailure | undefined;

/** Jobs as they travel: an entry of each list is one of theirs. */
export interface ReadBatch {
  readonly paths: readonly string[];
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

export function packReads(jobs: readonly ReadJob[]): ReadBatch {
  return { paths: jobs.map(job => job.path), starts: jobs.map(job => job.start), lengths: jobs.map(job => job.length) };
}

/** Results as they travel. */
export interface ReadAnswer {
  /** The contents one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each; {@link missingFile} of none, {@link failedRead} of a failure. */
  readonly sizes: readonly number[];
  /** By place. */
  readonly failures: ReadonlyMap<number, ThreadFailure>;
}

export const missingFile = -1;
export const failedRead = -2;

export function unpackReads({ bytes, sizes, failures }: ReadAnswer): ReadResult[] {
  let at = bytes.byteOffset;
  return sizes.map((size, i): ReadResult => {
    if (size < 0) return failures.get(i);
    at += size;
    return Buffer.from(bytes.buffer, at - size, size);
  });
}
