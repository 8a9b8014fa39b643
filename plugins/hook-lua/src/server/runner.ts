/** Runs scripts, a few at a time, each in a thread of its own. A spare thread waits for the next one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { SrvError } from '@srv/kernel';
import { defaultLimits } from './limits.js';
import { ScriptThread } from './script-thread.js';
import { Slots } from './slots.js';
import type { ScriptLimits } from './limits.js';
import type { ScriptRun } from './script-thread.js';

/** Milliseconds that a spare thread waits for a script. */
const spareFor = 60_000;
/** Milliseconds between the end of a script and the start of a spare thread: its answer goes out first. */
const spareAfter = 1;

interface RunRequest extends Omit<ScriptRun, 'limits'> {
  /** Milliseconds for all of it, but the wait for other scripts, which has the usual limit alone; absent: the usual limit. */
  readonly timeout?: number | undefined;
  /** Id of the repository that the script belongs to. */
  readonly repository: string;
}

export class Runner {
  readonly #limits: ScriptLimits;
  readonly #depth = new AsyncLocalStorage<number>();
  readonly #slots: Slots;
  readonly #running = new Set<ScriptThread>();
  /** Threads that are ending; only closing waits for them. */
  readonly #ending = new Set<Promise<void>>();
  #spare: ScriptThread | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #retired = false;

  constructor(limits: Partial<ScriptLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#slots = new Slots(this.#limits);
  }

  /** @throws SrvError with the reason when the script fails, takes too long, needs too much, or is cancelled. */
  async run({ timeout, repository, ...request }: RunRequest): Promise<void> {
    const depth = this.#depth.getStore() ?? 0;
    if (depth >= this.#limits.depth)
      throw new SrvError(
        'invalid',
        `scripts started each other ${depth} times: a hook must not cause an event that runs the same hook again`,
      );
    const limits = { ...this.#limits, ...(timeout === undefined ? {} : { total: timeout }) };
    const slot = await this.#slots.enter(repository, { signal: request.signal, waitMs: this.#limits.total });
    try {
      await this.#runInThread({
        ...request,
        limits,
        // What a script asks for may run another script: if it kept its slot, all slots could wait for one another. Reading is what
        // scripts mostly do: they do not queue up again for each page.
        call: (call, signal) => slot.outside(() => this.#depth.run(depth + 1, () => request.call(call, signal))),
      });
    } finally {
      slot.end();
    }
  }

  /** Ends the spare thread. Scripts continue: their callers end them, by their signals. */
  async retire(): Promise<void> {
    this.#retired = true;
    clearTimeout(this.#spareTimer);
    this.#dropSpare();
    await Promise.all(this.#ending);
  }

  /** Ends all threads; scripts under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#spareTimer);
    this.#dropSpare();
    await Promise.all([...this.#running].map(thread => thread.close()));
    await Promise.all(this.#ending);
  }

  async #runInThread(run: ScriptRun): Promise<void> {
    if (this.#closed) throw new SrvError('closed', 'the server is stopping');
    clearTimeout(this.#spareTimer);
    const thread = this.#spare ?? new ScriptThread(this.#limits);
    this.#spare = undefined;
    this.#running.add(thread);
    try {
      await thread.run(run);
    } finally {
      this.#running.delete(thread);
      this.#end(thread);
      this.#prepareSpare();
    }
  }

  #end(thread: ScriptThread): void {
    const ending = thread.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Made a moment after a script has ended, so as not to slow down what waits for it. */
  #prepareSpare(): void {
    clearTimeout(this.#spareTimer);
    if (this.#closed || this.#retired) return;
    this.#spareTimer = setTimeout(() => {
      this.#spare ??= new ScriptThread(this.#limits);
      this.#spareTimer = setTimeout(() => this.#dropSpare(), spareFor).unref();
    }, spareAfter).unref();
  }

  #dropSpare(): void {
    if (this.#spare) this.#end(this.#spare);
    this.#spare = undefined;
  }
}
