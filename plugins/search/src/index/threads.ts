/** The threads that read ranges, started when there is work and ended when there has been none for a while. */
import { Worker } from 'node:worker_threads';
import { SrvError, messageOf } from '@srv/kernel';
import { columnsOfRange } from './read-range.js';
import type { ErrorCode } from '@srv/kernel';

export interface RangeRequest {
  readonly bytes: ArrayBuffer;
  readonly name: string;
  readonly count: number;
}

export type RangeAnswer = { readonly bytes: ArrayBuffer } | { readonly error: { readonly code: ErrorCode; readonly message: string } };

/** A range of fewer bytes is read in a moment: a thread takes longer to start. */
const fewBytes = 64 << 10;
/** Milliseconds until a thread without work ends. */
const idleMs = 10_000;

interface Waiting {
  readonly request: RangeRequest;
  readonly resolve: (file: Buffer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  current: Waiting | undefined;
  idle: NodeJS.Timeout | undefined;
}

export class RangeThreads {
  readonly #size: number;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  /** @param size threads at most. */
  constructor(size: number) {
    this.#size = size;
  }

  /** The index file of a range, as {@link columnsOfRange} makes it. */
  async columns(range: Buffer, name: string, count: number): Promise<Buffer> {
    if (range.length <= fewBytes) return columnsOfRange(range, name, count);
    const bytes = new Uint8Array(range).buffer;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(closed());
        return;
      }
      this.#waiting.push({ request: { bytes, name, count }, resolve, reject });
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #assign(): void {
    if (this.#waiting.length === 0) return;
    const idle = [...this.#threads].find(({ current }) => !current);
    const thread = idle ?? (this.#threads.size < this.#size && !this.#isClosed ? this.#start() : undefined);
    const next = thread && this.#waiting.shift();
    if (!next) return;
    clearTimeout(thread.idle);
    thread.current = next;
    thread.worker.ref();
    thread.worker.postMessage(next.request, [next.request.bytes]);
  }

  #start(): Thread {
    const worker = new Worker(new URL('./thread.js', import.meta.url));
    const thread: Thread = { worker, current: undefined, idle: undefined };
    this.#threads.add(thread);
    const finish = (): Waiting | undefined => {
      const { current } = thread;
      thread.current = undefined;
      return current;
    };
    const die = (error: Error): void => {
      clearTimeout(thread.idle);
      this.#threads.delete(thread);
      finish()?.reject(error);
      this.#assign();
    };
    worker.on('message', (answer: RangeAnswer) => {
      const current = finish();
      if ('error' in answer) current?.reject(new SrvError(answer.error.code, answer.error.message));
      else current?.resolve(Buffer.from(answer.bytes));
      this.#assign();
      if (thread.current) return;
      worker.unref();
      thread.idle = setTimeout(() => {
        // Before it ends, so that no range is given to it meanwhile.
        this.#threads.delete(thread);
        void worker.terminate();
      }, idleMs).unref();
    });
    worker.on('error', error => die(new SrvError('internal', `a thread that indexes died: ${messageOf(error)}`)));
    worker.on('exit', () => die(closed()));
    return thread;
  }
}

function closed(): SrvError {
  return new SrvError('closed', 'the index was stopped');
}
