/** Small files, and small ranges, read by threads. */
import { Readable } from 'node:stream';
import { BatchThreads, errorOf } from './batch-threads.js';
import type { ThreadFailure } from './batch-threads.js';
import type { ByteRange } from '@srv/lib-block-store';

export interface ReadJob {
  readonly path: string;
  /** First byte. */
  readonly start: number;
  /** Bytes at most. */
  readonly length: number;
}

/** `undefined`: there is no such file. */
export type ReadResult = Uint8Array | ThreadFailure | undefined;

/** Longer ones are streamed. */
const smallBytes = 16 << 10;

export class SmallReads {
  readonly #threads = new BatchThreads<ReadJob, ReadResult>({
    script: new URL('./small-read-worker.js', import.meta.url),
    threads: 4,
    batch: 64,
    pack: jobs => ({ message: { jobs } }),
    unpack: results => results,
  });

  /**
   * The bytes of a file, or of a range of it; `undefined` for what needs another look: no file, a link, an empty or a
   * large one.
   * @param path in a folder whose real path it is.
   */
  async read(path: string, range: ByteRange | undefined): Promise<Buffer | undefined> {
    const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY };
    const isSmallRange = end - start < smallBytes;
    const result = await this.#threads.run({ path, start, length: isSmallRange ? end - start + 1 : smallBytes });
    if (result === undefined) return undefined;
    if ('message' in result) throw errorOf(result);
    if (result.length === 0 || (result.length === smallBytes && !isSmallRange)) return undefined;
    return Buffer.from(result.buffer, result.byteOffset, result.length);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

/** Bytes as a stream that has them ready: whoever reads it gets all of them at once. */
export function streamOf(bytes: Buffer): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push(bytes);
  stream.push(null);
  return stream;
}
