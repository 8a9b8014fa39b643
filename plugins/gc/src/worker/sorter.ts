/** The threads that read ranges and sort ids, started when they are needed and ended with the run. */

import { open, rename, stat, writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { SrvError, messageOf } from '@srv/kernel';
import { rangeFileOf } from './range-file.js';
import { answer } from './work.js';
import type { RangeIds } from './range-file.js';
import type { MergeSource, WorkerAnswer, WorkerRequest } from './work.js';

/** Lists, and bytes in them, that are sorted in a moment: a thread takes longer to start. */
const [fewLists, fewBytes] = [20, 64 << 10];

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

/** The worker that reads ranges, sorts and merges for a run. */
export interface Sorting {
  /** Writes the ids of a range. Takes the bytes away from the caller. */
  range(bytes: Buffer, name: string, count: number, path: string, lists: RangeIds): Promise<void>;
  /** Writes one list of several. @param lasts later runs use it: it is on the disk when this resolves. */
  merge(sources: readonly MergeSource[], path: string, options?: { readonly lasts: boolean }): Promise<void>;
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

  async range(bytes: Buffer, name: string, count: number, path: string, lists: RangeIds): Promise<void> {
    if (bytes.length <= fewBytes) {
      await writeFile(`${path}.new`, Buffer.concat(rangeFileOf(bytes, name, count, lists)), { flush: true });
      await rename(`${path}.new`, path);
      return;
    }
    const copy = exact(bytes);
    await this.#run({ kind: 'range', bytes: copy, name, count, path, lists }, [copy]);
  }

  async merge(sources: readonly MergeSource[], path: string, { lasts }: { readonly lasts: boolean } = { lasts: false }): Promise<void> {
    if (sources.length > fewLists || (await bytesOf(sources)) > fewBytes) {
      await this.#run({ kind: 'merge', sources, path, lasts }, []);
      return;
    }
    finished(answer({ kind: 'merge', sources, path, lasts: false }));
    if (lasts) await sync(path);
  }

  async sort(ids: Buffer, path: string): Promise<void> {
    const copy = exact(ids);
    const request = { kind: 'sort', ids: copy, path, lasts: false } as const;
    if (ids.length <= fewBytes) finished(answer(request));
    else await this.#run(request, [copy]);
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

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function bytesOf(sources: readonly MergeSource[]): Promise<number> {
  const sizes = await Promise.all(sources.map(async ({ path }) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function finished({ error }: WorkerAnswer): void {
  if (error) throw new SrvError(error.code, error.message);
}

function exact(bytes: Buffer): ArrayBuffer {
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  if (whole) return bytes.buffer as ArrayBuffer;
  const copy = new ArrayBuffer(bytes.length);
  Buffer.from(copy).set(bytes);
  return copy;
}
