/** Small files, and small ranges, read by threads. */
import { BatchThreads, errorOf } from './batch-threads.js';
import { packReads, unpackReads } from './small-read-messages.js';
import type { ByteRange } from '@srv/lib-stores/block';
import type { ReadAnswer, ReadJob, ReadResult } from './small-read-messages.js';

/** Longer ones are streamed. */
const smallBytes = 16 << 10;

/** What is to be read, and how many bytes may come. */
export interface SmallRange {
  readonly start: number;
  /** A file that has as many or more is read in another way, unless `isAll`. */
  readonly length: number;
  /** No more than `length` is wanted. */
  readonly isAll: boolean;
}

/** @returns `undefined` for what is too long to be read in one piece. */
export function smallRange(range: ByteRange | undefined, expectedSize: number = smallBytes - 1): SmallRange | undefined {
  const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY };
  if (end - start < smallBytes) return { start, length: end - start + 1, isAll: true };
  // One byte more than expected reveals a longer file.
  const length = expectedSize - start + 1;
  return length > smallBytes ? undefined : { start, length: Math.max(1, length), isAll: false };
}

/** Milliseconds. What the system has in memory is read by then, a whole batch of it; from a disk several threads read faster than one. */
const patience = 2;

export class SmallReads {
  readonly #threads = new BatchThreads<ReadJob, ReadResult, ReadAnswer>({
    script: new URL('./small-read-worker.js', import.meta.url),
    threads: 4,
    batch: 64,
    patience,
    pack: jobs => ({ message: packReads(jobs) }),
    unpack: unpackReads,
  });

  /**
   * The bytes of a file, or of a range of it; `undefined` for what needs the full check: no file, a link, an empty one or one
   * that is longer than expected.
   * @param path in a folder whose real path it is.
   */
  async read(path: string, { start, length, isAll }: SmallRange): Promise<Buffer | undefined> {
    const result = await this.#threads.run({ path, start, length });
    if (result === undefined) return undefined;
    if ('message' in result) throw errorOf(result);
    if (result.length === 0 || (result.length === length && !isAll)) return undefined;
    return result;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
