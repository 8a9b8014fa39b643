/**
 * The MD5 of a large file while it is written. Hashing takes longer than receiving: a separate thread reads after what
 * was written, and compares what is in the file rather than what was meant to be.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';

/** Message to the thread. */
export interface HashProgress {
  /** Bytes from the start of the file. */
  readonly written: number;
  readonly isAll: boolean;
}

/** Bytes from which a thread is worth its cost. */
export const threadThresholdBytes = 32 << 20;
/** Files hashed at the same time: more threads than processors would gain nothing. */
const most = availableParallelism();
let running = 0;

/** Bytes between two messages. */
const step = 4 << 20;

export class WrittenHash {
  readonly #worker: Worker;
  readonly #result: Promise<string>;
  #reported = 0;

  /**
   * @param file that exists, or is made before anything counts as written.
   * @param size bytes it will have.
   * @returns `undefined` if hashing on the way, or afterwards, is just as fast.
   */
  static async offer(file: string, size: number): Promise<WrittenHash | undefined> {
    if (size < threadThresholdBytes || running >= most) return undefined;
    running++;
    // Loaded on demand: every command loads this file.
    const { Worker } = await import('node:worker_threads');
    return new WrittenHash(new Worker(new URL('./hash-thread.js', import.meta.url), { workerData: file }));
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#result = once(this.#worker, 'message').then(([hash]) => hash as string);
    // The reader of the digest sees the error.
    this.#result.catch(() => undefined);
  }

  /** @param count bytes from the start that are in the file. */
  written(count: number): void {
    if (count - this.#reported < step) return;
    this.#reported = count;
    this.#tell({ written: count, isAll: false });
  }

  /** @returns hexadecimal MD5 of the first `size` bytes. */
  digest(size: number): Promise<string> {
    this.#tell({ written: size, isAll: true });
    return this.#result;
  }

  /** Ends the thread, done or not. */
  async close(): Promise<void> {
    running--;
    await this.#worker.terminate();
  }

  #tell(progress: HashProgress): void {
    this.#worker.postMessage(progress);
  }
}
