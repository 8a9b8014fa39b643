/** Worker threads without an owner: what starts in a process after something like it has ended need not load them again. */
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

export class SpareThreads {
  readonly #script: URL;
  readonly #options: WorkerOptions;
  readonly #limit: number;
  readonly #spare: Worker[] = [];

  /**
   * @param script module of the threads.
   * @param limit threads kept at most, each with the memory of its modules.
   */
  constructor(script: URL, options: WorkerOptions, limit: number) {
    this.#script = script;
    this.#options = options;
    this.#limit = limit;
  }

  /** Threads that wait. */
  get size(): number {
    return this.#spare.length;
  }

  /** @returns a thread that has nothing to do and no listeners; it keeps the process alive while the caller wants it to. */
  take(): Worker {
    const spare = this.#spare.pop();
    if (spare === undefined) return new Worker(this.#script, this.#options);
    return withoutListeners(spare);
  }

  /**
   * Keeps a thread, which does not keep the process alive, or ends it when enough are kept.
   * @param worker one from {@link take} that has answered everything and holds nothing of its owner.
   */
  async giveBack(worker: Worker): Promise<void> {
    withoutListeners(worker);
    if (this.#spare.length >= this.#limit) {
      await worker.terminate();
      return;
    }
    const drop = (): void => {
      const at = this.#spare.indexOf(worker);
      if (at >= 0) this.#spare.splice(at, 1);
    };
    worker.on('error', drop);
    worker.on('exit', drop);
    worker.unref();
    this.#spare.push(worker);
  }
}

function withoutListeners(worker: Worker): Worker {
  for (const event of ['message', 'messageerror', 'error', 'exit']) worker.removeAllListeners(event);
  return worker;
}
