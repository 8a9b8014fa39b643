/** Worker threads that build, merge and compare. Started when first needed; a task goes to the least busy one. */
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import { SpareThreads } from '@srv/kernel/threads';
import { pack, unpack } from './packing.js';
import { fromPlain, toPlain } from './protocol.js';
import type { Worker } from 'node:worker_threads';
import type { Change, Comparison } from '../algorithms/index.js';
import type { FileKind } from '../cache/cache-meter.js';
import type { FileCache } from '../cache/file-cache.js';
import type { BreakRules } from '../format/index.js';
import type { Call, Request, Response, Task } from './protocol.js';

interface WorkerPoolOptions {
  readonly files: Readonly<Record<FileKind, Pick<FileCache, 'workspace' | 'store' | 'path' | 'discard'>>>;
  readonly rules: BreakRules;
  readonly uploaders: number;
  /** Idle readers that each thread keeps. */
  readonly openReaders: Readonly<Record<FileKind, number>>;
  /** Threads at most. Default: one per core, at least 2. */
  readonly threads?: number;
}

interface TaskOptions {
  readonly namespace: string;
  readonly signal?: AbortSignal | undefined;
  /** For `apply`: pages of changes, asked for one by one. */
  readonly changes?: AsyncIterable<readonly Change[]>;
}

interface Thread {
  readonly worker: Worker;
  readonly tasks: Map<number, RunningTask>;
  /** Called when the thread rests, or has died. */
  rested: ((isBusy: boolean) => void) | undefined;
  /** Why it died: it answers no more. */
  lost: SrvError | undefined;
}

interface RunningTask {
  readonly namespace: string;
  /** The caller's: uploads of the task end with it. */
  readonly signal: AbortSignal | undefined;
  readonly changes: AsyncIterator<readonly Change[]> | undefined;
  pending: { resolve: (page: { done: boolean; value: unknown }) => void; reject: (error: Error) => void } | undefined;
}

/** Records live briefly in a worker: a small young generation is collected as fast and holds less. In MiB. */
const youngGenerationMb = 16;

/** Threads by default, at most. */
const defaultThreads = Math.max(2, availableParallelism());

/** Of pools that were closed. */
const spares = new SpareThreads(
  new URL('./worker.js', import.meta.url),
  { name: 'committed', resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb } },
  defaultThreads,
);

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #threads: Thread[] = [];
  #lastTask = 0;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Runs a task to its end and returns its result. */
  async run<R>(work: Task, options: TaskOptions): Promise<R> {
    const pages = this.stream(work, options);
    for (;;) {
      const { done, value } = await pages.next();
      if (done) return value as R;
    }
  }

  /** Pages of a task, each computed when it is asked for. Returning early ends the task. */
  async *stream(work: Task, options: TaskOptions): AsyncGenerator<Comparison[], unknown> {
    if (options.signal?.aborted) throw new SrvError('cancelled', 'the request was cancelled');
    return yield* this.#streamOn(this.#leastBusy(), work, options);
  }

  async *#streamOn(thread: Thread, work: Task, { namespace, signal, changes }: TaskOptions): AsyncGenerator<Comparison[], unknown> {
    const task = ++this.#lastTask;
    const running: RunningTask = { namespace, signal, changes: changes?.[Symbol.asyncIterator](), pending: undefined };
    const cancel = new SharedArrayBuffer(4);
    const onAbort = (): void => {
      Atomics.store(new Int32Array(cancel), 0, 1);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.tasks.set(task, running);
    thread.worker.ref();
    const { rules, uploaders, openReaders, files } = this.#options;
    const workspaces = { range: files.range.workspace, 'meta-range': files['meta-range'].workspace };
    send(thread, { type: 'begin', task, work, settings: { namespace, rules, uploaders, openReaders, workspaces, cancel } });
    try {
      for (;;) {
        const page = await new Promise<{ done: boolean; value: unknown }>((resolve, reject) => {
          // It may have died while the reader worked on a page.
          if (thread.lost) return reject(thread.lost);
          running.pending = { resolve, reject };
          send(thread, { type: 'next', task });
        });
        if (page.done) return page.value;
        yield unpackComparisons(page.value as { types: Comparison['type'][]; records: ArrayBuffer });
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      thread.tasks.delete(task);
      // An idle thread does not keep the process alive, a task does.
      if (thread.tasks.size === 0) thread.worker.unref();
      send(thread, { type: 'end', task });
      await running.changes?.return?.();
    }
  }

  /** Threads that run. */
  get size(): number {
    return this.#threads.length;
  }

  /**
   * Starts every thread and warms each up, one after the other: the first commit waits neither for a thread
   * nor for the compiler.
   */
  async warm(): Promise<void> {
    const fresh: Thread[] = [];
    while (!this.#closed && this.#threads.length < this.#limit) fresh.push(this.#startThread());
    for (const thread of fresh) {
      if (this.#closed) return;
      // Whatever is wrong with the workspace, real work will say so.
      await this.#streamOn(thread, { kind: 'warm-up' }, { namespace: '' })
        .next()
        .catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.splice(0).map(thread => this.#release(thread)));
  }

  /** An idle thread goes to the next pool; with a task it ends, which fails. */
  async #release(thread: Thread): Promise<void> {
    const isBusy = thread.tasks.size > 0 || (await this.#rest(thread));
    await (isBusy ? thread.worker.terminate() : spares.giveBack(thread.worker));
  }

  /** @returns whether the thread has not ended its tasks. */
  #rest(thread: Thread): Promise<boolean> {
    return new Promise(resolve => {
      thread.rested = resolve;
      thread.worker.ref();
      send(thread, { type: 'rest' });
    });
  }

  get #limit(): number {
    return this.#options.threads ?? defaultThreads;
  }

  #leastBusy(): Thread {
    if (this.#closed) throw new SrvError('closed', 'the committed store is closed');
    const idle = this.#threads.find(({ tasks }) => tasks.size === 0);
    if (idle) return idle;
    if (this.#threads.length < this.#limit) return this.#startThread();
    return this.#threads.reduce((best, thread) => (thread.tasks.size < best.tasks.size ? thread : best));
  }

  #startThread(): Thread {
    const worker = spares.take();
    const thread: Thread = { worker, tasks: new Map(), rested: undefined, lost: undefined };
    worker.on('message', (response: Response) => this.#onMessage(thread, response));
    worker.on('error', error => this.#lose(thread, error));
    worker.on('exit', () => this.#lose(thread, new Error('a worker thread ended')));
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }

  /** A dead thread fails its tasks; the next task starts a new one. */
  #lose(thread: Thread, error: Error): void {
    const at = this.#threads.indexOf(thread);
    if (at >= 0) this.#threads.splice(at, 1);
    thread.lost ??= new SrvError('internal', 'a metadata worker failed', { cause: error });
    for (const { pending } of thread.tasks.values()) pending?.reject(thread.lost);
    thread.tasks.clear();
    thread.rested?.(true);
  }

  #onMessage(thread: Thread, response: Response): void {
    if (response.type === 'call') {
      void this.#answer(thread, response.call, response.task, response.ask);
      return;
    }
    if (response.type === 'rested') {
      thread.rested?.(response.isBusy);
      return;
    }
    const running = thread.tasks.get(response.task);
    const pending = running?.pending;
    if (!running || !pending) return;
    running.pending = undefined;
    if (response.type === 'page') pending.resolve(response);
    else pending.reject(fromPlain(response.error));
  }

  async #answer(thread: Thread, call: number, task: number, ask: Call): Promise<void> {
    try {
      const value = await this.#perform(thread.tasks.get(task), ask);
      send(thread, { type: 'answer', call, value }, Array.isArray(value) ? value : []);
    } catch (error) {
      send(thread, { type: 'answer', call, error: toPlain(error) });
    }
  }

  async #perform(running: RunningTask | undefined, ask: Call): Promise<unknown> {
    if (ask.method === 'changes') return running?.changes && packPages(running.changes);
    const files = this.#options.files[ask.kind];
    if (ask.method === 'store') return files.store(ask.namespace, ask.id, ask.file, running?.signal);
    if (ask.damaged) return files.discard(ask.namespace, ask.id);
    return files.path(ask.namespace, ask.id);
  }
}

/** Records sent to a worker at a time, about. */
const sentRecords = 256;

/** The next pages, each packed in a turn of the event loop of its own: others are answered in between. `undefined` at the end. */
async function packPages(changes: AsyncIterator<readonly Change[]>): Promise<ArrayBuffer[] | undefined> {
  const packed: ArrayBuffer[] = [];
  for (let records = 0; records < sentRecords; ) {
    const { done, value } = await changes.next();
    if (done) break;
    if (packed.length > 0) await nextTurn();
    packed.push(pack(value));
    records += value.length;
  }
  return packed.length === 0 ? undefined : packed;
}

function send({ worker }: Thread, request: Request, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(request, transfer);
}

function unpackComparisons({ types, records }: { types: Comparison['type'][]; records: ArrayBuffer }): Comparison[] {
  const items = unpack(records);
  return types.flatMap((type, i) => {
    const [left, right] = [items[2 * i], items[2 * i + 1]];
    return left && right ? [{ type, key: left.key, left: left.value, right: right.value }] : [];
  });
}
