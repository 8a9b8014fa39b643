/**
 * Threads that do small work on files with plain calls, one after the other. From the event loop each call to the system
 * costs more than the work on a small file itself; jobs that wait go to a thread together.
 */
import { SrvError } from '@srv/kernel';
import { SpareThreads } from '@srv/kernel/threads';
import type { Worker } from 'node:worker_threads';

interface BatchThreadsOptions<J, R, A> {
  /** Module that answers each message, a packed batch, and keeps nothing of it. */
  readonly script: URL;
  /** Threads at most, started when they are needed. */
  readonly threads: number;
  /** Jobs a thread takes at a time. */
  readonly batch: number;
  /**
   * Milliseconds that a thread may be busy before another one takes jobs that do not fill a batch: those that wait for it go along
   * in its next message, and most of the cost is that of messages. Default: 0.
   */
  readonly patience?: number;
  readonly pack: (jobs: readonly J[]) => { readonly message: object; readonly transfer?: readonly ArrayBuffer[] };
  /** The results of a batch in the order of its jobs. */
  readonly unpack: (answer: A) => readonly R[];
  /** Called when a thread dies whose batch has not been answered. */
  readonly lost?: () => void;
}

interface Waiting<J, R> {
  readonly job: J;
  readonly resolve: (result: R) => void;
  readonly reject: (error: Error) => void;
}

interface Thread<J, R> {
  readonly worker: Worker;
  /** Empty: it is idle. */
  batch: readonly Waiting<J, R>[];
  /** When it got them, as `performance.now` says. */
  since: number;
}

/** Threads that stores which were closed have left to the next ones, of each kind at most. */
const spareLimit = 4;
const spares = new Map<string, SpareThreads>();

function sparesOf(script: URL): SpareThreads {
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const found = spares.get(script.href) ?? new SpareThreads(script, { name: 'block-local', resourceLimits }, spareLimit);
  spares.set(script.href, found);
  return found;
}

export class BatchThreads<J, R, A = readonly R[]> {
  readonly #options: BatchThreadsOptions<J, R, A>;
  readonly #threads: Thread<J, R>[] = [];
  #waiting: Waiting<J, R>[] = [];
  #scheduled = false;
  #closed = false;
  /** Set while jobs wait for a busy thread. */
  #patience: NodeJS.Timeout | undefined;

  constructor(options: BatchThreadsOptions<J, R, A>) {
    this.#options = options;
  }

  /** @throws SrvError `closed` after {@link close}, `internal` when the thread dies. */
  run(job: J): Promise<R> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Jobs of the same turn go along.
      setImmediate(() => {
        this.#scheduled = false;
        this.#assign();
      });
    });
  }

  /** What waits fails with `closed`, work that was begun with `unavailable`. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#patience);
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await Promise.all(this.#threads.splice(0).map(thread => this.#release(thread)));
  }

  /** Work that was begun fails. */
  async #release({ worker, batch }: Thread<J, R>): Promise<void> {
    await (batch.length > 0 ? worker.terminate() : sparesOf(this.#options.script).giveBack(worker));
  }

  #assign(): void {
    const { threads, batch, pack } = this.#options;
    while (this.#waiting.length > 0 && !this.#postpones()) {
      const idle = this.#threads.find(thread => thread.batch.length === 0) ?? (this.#threads.length < threads ? this.#start() : undefined);
      if (!idle) return;
      idle.since = performance.now();
      idle.batch = this.#waiting.slice(0, batch);
      this.#waiting = this.#waiting.slice(batch);
      const { message, transfer = [] } = pack(idle.batch.map(({ job }) => job));
      // An idle thread does not keep the process alive, work does.
      idle.worker.ref();
      idle.worker.postMessage(message, transfer);
    }
  }

  /** Whether what waits is left to a thread that is busy. If that one does not answer soon, a timer hands it to another. */
  #postpones(): boolean {
    const { batch, patience = 0 } = this.#options;
    if (patience === 0 || this.#waiting.length >= batch) return false;
    const latest = this.#threads.reduce((last, thread) => (thread.batch.length > 0 ? Math.max(last, thread.since) : last), -Infinity);
    const left = latest + patience - performance.now();
    if (left <= 0) return false;
    this.#patience ??= setTimeout(() => {
      this.#patience = undefined;
      this.#assign();
    }, left);
    return true;
  }

  #start(): Thread<J, R> {
    const worker = sparesOf(this.#options.script).take();
    const thread: Thread<J, R> = { worker, batch: [], since: 0 };
    worker.on('message', (answer: A) => this.#settle(thread, this.#options.unpack(answer)));
    worker.on('error', error => this.#lose(thread, error));
    worker.on('exit', () => this.#lose(thread, new Error('the thread ended')));
    this.#threads.push(thread);
    return thread;
  }

  #settle(thread: Thread<J, R>, results: readonly R[]): void {
    const { batch } = thread;
    thread.batch = [];
    thread.worker.unref();
    this.#assign();
    for (const [i, result] of results.entries()) batch[i]?.resolve(result);
  }

  /** A dead thread fails its jobs; the next job starts another. */
  #lose(thread: Thread<J, R>, error: Error): void {
    const at = this.#threads.indexOf(thread);
    if (at >= 0) this.#threads.splice(at, 1);
    if (thread.batch.length > 0) this.#options.lost?.();
    for (const { reject } of thread.batch) reject(new SrvError('unavailable', 'a thread of the block store failed', { cause: error }));
    thread.batch = [];
    if (!this.#closed) this.#assign();
  }
}

function closed(): SrvError {
  return new SrvError('closed', 'the block store has been closed');
}

/** A failure on its way from a thread. */
export interface ThreadFailure {
  readonly message: string;
  /** `ENOSPC`, … */
  readonly code: string | undefined;
}

/** The error a thread met, with its `code`. */
export function errorOf({ message, code }: ThreadFailure): Error {
  return Object.assign(new Error(message), { code });
}
