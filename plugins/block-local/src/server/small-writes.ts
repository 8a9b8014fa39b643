/** Small files, written and synced by threads. */
import { BatchThreads, errorOf } from './batch-threads.js';
import type { WriteBatch, WriteJob, WriteResult, WrittenSmall } from './small-write-messages.js';

/** Bytes of the largest body that is written this way. */
export const smallWriteBytes = 64 << 10;

export class SmallWrites {
  readonly #threads = new BatchThreads<WriteJob & { readonly content: Uint8Array }, WriteResult>({
    script: new URL('./small-write-worker.js', import.meta.url),
    // Syncs at the same time: the disk takes several at the price of one.
    threads: 4,
    // So few that files which come together are spread over the threads.
    batch: 8,
    pack(files) {
      const bytes = new Uint8Array(files.reduce((sum, { size }) => sum + size, 0));
      let at = 0;
      const jobs = files.map(({ content, ...job }) => {
        bytes.set(content, at);
        at += job.size;
        return job;
      });
      return { message: { jobs, bytes: bytes.buffer } satisfies WriteBatch, transfer: [bytes.buffer] };
    },
  });

  /** Resolves when the file is on the disk; on failure nothing is left. The content must stay as it is until then. @throws an error with the `code` of the system's. */
  async write(file: Omit<WriteJob, 'size'>, content: Uint8Array): Promise<WrittenSmall> {
    const result = await this.#threads.run({ ...file, size: content.length, content });
    if ('message' in result) throw errorOf(result);
    return result;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
