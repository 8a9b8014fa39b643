/** Ends segments of the journal in a thread: every file they name is synced, then they are removed. */
import { BatchThreads, errorOf } from '../small-files/batch-threads.js';
import type { ThreadFailure } from '../small-files/batch-threads.js';

export interface RetireJob {
  /** `names` returns the hashes of the names in a segment. */
  readonly kind: 'retire' | 'names';
  /** Segment. */
  readonly path: string;
  /** Real path of the base folder. */
  readonly base: string;
}

export type RetireResult = undefined | ReadonlySet<number> | ThreadFailure;

export class Retirement {
  readonly #base: string;
  readonly #thread = new BatchThreads<RetireJob, RetireResult, RetireResult>({
    script: new URL('./retire-worker.js', import.meta.url),
    threads: 1,
    batch: 1,
    pack: ([job]) => ({ message: { job } }),
    unpack: result => [result],
  });

  /** @param base real path of the base folder. */
  constructor(base: string) {
    this.#base = base;
  }

  /** Resolves when the files a segment names are on the disk and it is removed. @throws an error; the segment stays. */
  async retire(path: string): Promise<void> {
    await this.#run('retire', path);
  }

  /** Hashes of the names in a segment. @throws an error when it cannot be read. */
  async names(path: string): Promise<ReadonlySet<number>> {
    return (await this.#run('names', path)) ?? new Set();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #run(kind: RetireJob['kind'], path: string): Promise<ReadonlySet<number> | undefined> {
    const result = await this.#thread.run({ kind, path, base: this.#base });
    if (result && 'message' in result) throw errorOf(result);
    return result;
  }
}
