/**
 * Small files, written and synced by threads. A small file is worth a dozen calls to the system and hardly any bytes: from
 * the event loop each call would cost more than the write itself. Files that wait go to a thread together.
 */
import { Worker } from 'node:worker_threads';
import { SrvError } from '@srv/kernel';
import type { WriteBatch, WriteJob, WriteResult, WrittenSmall } from './small-write-protocol.js';

/** Bytes of the largest body that is written this way. */
export const smallWriteBytes = 64 << 10;

/** Syncs at the same time: the disk takes several at the price of one. */
const threads = 4;
/** Files a thread takes at a time. */
const batchFiles = 64;

interface Waiting {
  readonly job: WriteJob;
  readonly content: Uint8Array;
  readonly resolve: (written: WrittenSmall) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  /** By id; empty: it is idle. */
  readonly batch: Map<number, Waiting>;
}

export class SmallWrites {
  readonly #threads: Thread[] = [];
  #waiting: Waiting[] = [];
  #lastId = 0;
  #scheduled = false;
  #closed = false;

  /** Resolves when the file is on the disk; on failure nothing is left. The content must stay as it is until then. @throws an error with the `code` of the system's. */
  write(file: Omit<WriteJob, 'id' | 'size'>, content: Uint8Array): Promise<WrittenSmall> {
    if (this.#closed) return Promise.reject(new SrvError('closed', 'the block store has been closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job: { ...file, id: ++this.#lastId, size: content.length }, content, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Whoever comes in the same turn comes along.
      setImmediate(() => {
        this.#scheduled = false;
        this.#assign();
      });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const idle = this.#threads.find(({ batch }) => batch.size === 0) ?? (this.#threads.length < threads ? this.#start() : undefined);
      if (!idle) return;
      const taken = this.#waiting.slice(0, batchFiles);
      this.#waiting = this.#waiting.slice(batchFiles);
      this.#send(idle, taken);
    }
  }

  #send({ worker, batch }: Thread, taken: readonly Waiting[]): void {
    const bytes = new Uint8Array(taken.reduce((sum, { job }) => sum + job.size, 0));
    let at = 0;
    for (const waiting of taken) {
      bytes.set(waiting.content, at);
      at += waiting.job.size;
      batch.set(waiting.job.id, waiting);
    }
    // An idle thread does not keep the process alive, a write does.
    worker.ref();
    worker.postMessage({ jobs: taken.map(({ job }) => job), bytes: bytes.buffer } satisfies WriteBatch, [bytes.buffer]);
  }

  #start(): Thread {
    const worker = new Worker(new URL('./small-write-worker.js', import.meta.url), {
      name: 'block-local',
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    const thread: Thread = { worker, batch: new Map() };
    worker.on('message', (results: readonly WriteResult[]) => this.#settle(thread, results));
    worker.on('error', error => this.#lose(thread, error));
    worker.on('exit', () => this.#lose(thread, new Error('a writing thread ended')));
    this.#threads.push(thread);
    return thread;
  }

  #settle({ worker, batch }: Thread, results: readonly WriteResult[]): void {
    const settled = results.map(result => ({ result, waiting: batch.get(result.id) }));
    batch.clear();
    worker.unref();
    this.#assign();
    for (const { result, waiting } of settled) {
      if ('state' in result) waiting?.resolve(result);
      else waiting?.reject(Object.assign(new Error(result.message), { code: result.code }));
    }
  }

  /** A dead thread fails its writes; the next write starts another. */
  #lose(thread: Thread, error: Error): void {
    const at = this.#threads.indexOf(thread);
    if (at >= 0) this.#threads.splice(at, 1);
    for (const { reject } of thread.batch.values()) reject(new SrvError('internal', 'a writing thread failed', { cause: error }));
    thread.batch.clear();
    if (!this.#closed) this.#assign();
  }
}
