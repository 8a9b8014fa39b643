/**
 * Threads that hash large bodies, for the whole process. Bytes reach a thread through slots of shared memory, which are used
 * again; a body waits while all slots of its thread are taken. Threads start with the first large body and end when they
 * have been idle for a while.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { SrvError } from '@srv/kernel/errors';
import type { HashName } from './hash.js';

export type DigestName = HashName | 'crc32' | 'crc32c' | 'crc64nvme' | 'xxhash64' | 'xxhash3' | 'xxhash128';

/** What a thread starts with. */
export interface HashThreadData {
  readonly memory: SharedArrayBuffer;
  readonly slotBytes: number;
}

/** To a thread. Bytes and the end of one body come in order. */
export type HashRequest =
  | { readonly kind: 'begin'; readonly body: number; readonly names: readonly DigestName[] }
  | { readonly kind: 'bytes'; readonly body: number; readonly slot: number; readonly length: number }
  | { readonly kind: 'end' | 'abandon'; readonly body: number };

/** From a thread. */
export type HashAnswer =
  | { readonly kind: 'free'; readonly slot: number }
  | { readonly kind: 'digests'; readonly body: number; readonly digests: readonly Uint8Array[] };

interface HashThreadsOptions {
  /** Threads at most. One processor is left to the event loop. */
  readonly threads: number;
  /** Bytes that are hashed at a time: fewer cost more messages, more keep other bodies waiting. */
  readonly slotBytes: number;
  /** Slots of each thread. */
  readonly slots: number;
  /** Milliseconds until an idle thread ends. */
  readonly idleLimit: number;
  readonly script: URL;
}

/** One large body in its thread. Its owner calls {@link ThreadedBody.finish} or {@link ThreadedBody.abandon}. */
export interface ThreadedBody {
  /** @returns `undefined` when all are taken. @throws SrvError `internal` when the thread died. */
  takeSlot(): number | undefined;
  /** Waits for a slot. @throws SrvError as {@link takeSlot}. */
  freeSlot(): Promise<number>;
  giveBack(slot: number): void;
  /** The memory of a taken slot. */
  bytesOf(slot: number): Buffer;
  /** Hashes the first `length` bytes of a taken slot, which is free again afterwards. */
  hash(slot: number, length: number): void;
  /** @throws SrvError as {@link takeSlot}. */
  finish(): Promise<readonly Buffer[]>;
  /** Ends the body without checksums. */
  abandon(): void;
}

export class HashThreads {
  readonly slotBytes: number;
  readonly #options: HashThreadsOptions;
  readonly #threads = new Set<HashThread>();

  constructor(options: Partial<HashThreadsOptions> = {}) {
    this.#options = {
      threads: Math.min(4, Math.max(1, availableParallelism() - 1)),
      slotBytes: 256 << 10,
      slots: 16,
      idleLimit: 30_000,
      script: new URL('./hash-thread.js', import.meta.url),
      ...options,
    };
    this.slotBytes = this.#options.slotBytes;
  }

  /** Threads that run. */
  get size(): number {
    return this.#threads.size;
  }

  /** Begins a body in the thread that has the fewest. */
  begin(names: readonly DigestName[]): ThreadedBody {
    const [first, ...others] = this.#threads;
    const least = first && others.reduce((best, thread) => (thread.bodies < best.bodies ? thread : best), first);
    const isFree = least !== undefined && (least.bodies === 0 || this.#threads.size >= this.#options.threads);
    return (isFree ? least : this.#start()).begin(names);
  }

  /** Ends the threads: idle ones at once, others after their last body. Later bodies start new ones. */
  async close(): Promise<void> {
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map(thread => thread.retire()));
  }

  #start(): HashThread {
    const thread = new HashThread(this.#options, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

interface Waiting<T> {
  readonly body: number;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

class HashThread {
  readonly #worker: Worker;
  readonly #memory: SharedArrayBuffer;
  readonly #slotBytes: number;
  readonly #idleLimit: number;
  readonly #gone: () => void;
  readonly #free: number[];
  readonly #running = new Set<number>();
  /** For a slot, first come, first served. */
  #queue: Waiting<number>[] = [];
  readonly #finishing = new Map<number, Waiting<readonly Buffer[]>>();
  #idle: NodeJS.Timeout | undefined;
  #failure: SrvError | undefined;
  #retired = false;
  #next = 0;

  /** @param gone called when it stops taking bodies. */
  constructor({ script, slots, slotBytes, idleLimit }: HashThreadsOptions, gone: () => void) {
    this.#memory = new SharedArrayBuffer(slots * slotBytes);
    this.#slotBytes = slotBytes;
    this.#idleLimit = idleLimit;
    this.#gone = gone;
    this.#free = Array.from({ length: slots }, (_, i) => i);
    const data: HashThreadData = { memory: this.#memory, slotBytes };
    this.#worker = new Worker(script, {
      name: 'hash',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.on('message', (answer: HashAnswer) => this.#take(answer));
    this.#worker.on('error', error => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread ended')));
    // It keeps the process alive only while a caller waits for a result.
    this.#worker.unref();
  }

  /** Bodies under way. */
  get bodies(): number {
    return this.#running.size;
  }

  begin(names: readonly DigestName[]): ThreadedBody {
    const body = this.#next++;
    clearTimeout(this.#idle);
    this.#running.add(body);
    this.#post({ kind: 'begin', body, names });
    return {
      takeSlot: () => {
        if (this.#failure) throw this.#failure;
        return this.#free.pop();
      },
      freeSlot: () => this.#waitForSlot(body),
      giveBack: slot => this.#release(slot),
      bytesOf: slot => Buffer.from(this.#memory, slot * this.#slotBytes, this.#slotBytes),
      hash: (slot, length) => this.#post({ kind: 'bytes', body, slot, length }),
      finish: () => this.#finish(body),
      abandon: () => this.#abandon(body),
    };
  }

  /** Ends after the last body. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.#running.size === 0) await this.#worker.terminate();
  }

  #waitForSlot(body: number): Promise<number> {
    this.#worker.ref();
    return new Promise((resolve, reject) => void this.#queue.push({ body, resolve, reject }));
  }

  #finish(body: number): Promise<readonly Buffer[]> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#finishing.set(body, { body, resolve, reject });
      this.#post({ kind: 'end', body });
    });
  }

  #abandon(body: number): void {
    if (!this.#running.has(body) || this.#finishing.has(body)) return;
    const waiting = this.#queue.filter(entry => entry.body === body);
    this.#queue = this.#queue.filter(entry => entry.body !== body);
    for (const { reject } of waiting) reject(new SrvError('cancelled', 'the body is no longer needed'));
    this.#post({ kind: 'abandon', body });
    this.#end(body);
  }

  #take(answer: HashAnswer): void {
    if (answer.kind === 'free') {
      this.#release(answer.slot);
      this.#unrefWhenUnwanted();
      return;
    }
    const waiting = this.#finishing.get(answer.body);
    this.#finishing.delete(answer.body);
    this.#end(answer.body);
    waiting?.resolve(answer.digests.map(digest => Buffer.from(digest)));
    this.#unrefWhenUnwanted();
  }

  #unrefWhenUnwanted(): void {
    if (this.#queue.length === 0 && this.#finishing.size === 0) this.#worker.unref();
  }

  #release(slot: number): void {
    const next = this.#queue.shift();
    if (next) next.resolve(slot);
    else this.#free.push(slot);
  }

  #end(body: number): void {
    this.#running.delete(body);
    if (this.#running.size > 0 || this.#failure) return;
    if (this.#retired) void this.#worker.terminate();
    else this.#idle = setTimeout(() => this.#expire(), this.#idleLimit).unref();
  }

  #expire(): void {
    this.#gone();
    void this.retire();
  }

  /** A dead thread fails its bodies; the next body starts another. */
  #lose(cause: Error): void {
    if (this.#failure) return;
    clearTimeout(this.#idle);
    this.#gone();
    const failure = new SrvError('unavailable', 'a thread that hashes bodies failed; send the body again', { cause });
    this.#failure = failure;
    const waiting = [...this.#queue, ...this.#finishing.values()];
    this.#queue = [];
    this.#finishing.clear();
    this.#running.clear();
    for (const { reject } of waiting) reject(failure);
  }

  #post(request: HashRequest): void {
    this.#worker.postMessage(request);
  }
}

/** Those of this process. */
export const hashThreads = new HashThreads();
