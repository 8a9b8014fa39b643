/** The threads that read ranges and sort ids, started when they are needed and ended with the run. */
import { Worker } from 'node:worker_threads';
import { SrvError, messageOf } from '@srv/kernel';
import type { MergeSource, WorkerAnswer, WorkerRequest } from './work.js';

interface Waiting {
  readonly request: WorkerRequest;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  current: Waiting | undefined;
}

/** Who reads ranges, sorts and merges for a run. */
export interface Sorting {
  /** Writes the ids of a range. Takes the bytes away from the caller. */
  range(bytes: Buffer, name: string, count: number, path: string): Promise<void>;
  /** Writes one list of several. */
  merge(sources: readonly MergeSource[], path: string): Promise<void>;
  /** Sorts ids of 24 bytes each and writes them. */
  sort(ids: Buffer, path: string): Promise<void>;
  close(): Promise<void>;
}

export class Sorter implements Sorting {
  readonly #size: number;
  readonly #threads: Thread[] = [];
  readonly #waiting: Waiting[] = [];
  #closed = false;

  /** @param size threads at most. */
  constructor(size: number) {
    this.#size = size;
  }

  async range(bytes: Buffer, name: string, count: number, path: string): Promise<void> {
    const copy = exact(bytes);
    await this.#run({ kind: 'range', bytes: copy, name, count, path }, [copy]);
  }

  async merge(sources: readonly MergeSource[], path: string): Promise<void> {
    await this.#run({ kind: 'merge', sources, path }, []);
  }

  async sort(ids: Buffer, path: string): Promise<void> {
    const copy = exact(ids);
    await this.#run({ kind: 'sort', ids: copy, path }, [copy]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const gone = new SrvError('closed', 'garbage collection was stopped');
    for (const waiting of this.#waiting.splice(0)) waiting.reject(gone);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #run(request: WorkerRequest, transfer: readonly ArrayBuffer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new SrvError('closed', 'garbage collection was stopped'));
        return;
      }
      this.#waiting.push({ request, transfer, resolve, reject });
      this.#assign();
    });
  }

  #assign(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const idle = this.#threads.find(thread => !thread.current) ?? (this.#threads.length < this.#size ? this.#start() : undefined);
    const next = idle && this.#waiting.shift();
    if (!idle || !next) return;
    idle.current = next;
    idle.worker.postMessage(next.request, [...next.transfer]);
  }

  #start(): Thread {
    const worker = new Worker(new URL('./main.js', import.meta.url));
    const thread: Thread = { worker, current: undefined };
    const finish = (): Waiting | undefined => {
      const { current } = thread;
      thread.current = undefined;
      return current;
    };
    const die = (error: Error): void => {
      const at = this.#threads.indexOf(thread);
      if (at >= 0) this.#threads.splice(at, 1);
      finish()?.reject(error);
      this.#assign();
    };
    worker.on('message', ({ error }: WorkerAnswer) => {
      const current = finish();
      if (error) current?.reject(new SrvError(error.code, error.message));
      else current?.resolve();
      this.#assign();
    });
    worker.on('error', error => die(new SrvError('internal', `a thread of garbage collection died: ${messageOf(error)}`)));
    worker.on('exit', () => die(new SrvError('closed', 'a thread of garbage collection ended')));
    this.#threads.push(thread);
    return thread;
  }
}

function exact(bytes: Buffer): ArrayBuffer {
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  if (whole) return bytes.buffer as ArrayBuffer;
  const copy = new ArrayBuffer(bytes.length);
  Buffer.from(copy).set(bytes);
  return copy;
}
