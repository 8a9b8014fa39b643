/** Work that an interrupt ends: commands, and JavaScript that may run commands of its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted } from '@srv/lib-commands';
import { ProcessListeners } from '../process-listeners.js';
import { DryRunStop } from './dry-run.js';
import { markedInterruption } from './interruptions.js';

const stalls = new ProcessListeners('beforeExit');
/** After an interrupt; as of a single command. */
const patienceMs = 2000;
/** Until work that was interrupted gets an error: code that ignores it and tries again must leave time for everything else. */
const refusalMs = 100;

export interface Work {
  readonly signal: AbortSignal;
  /** Waits for a part of the work, until the interrupt at the longest. */
  readonly ending: <T>(work: Promise<T>) => Promise<T>;
  readonly end: () => void;
}

export class RunningWork {
  readonly #outer: AbortSignal;
  readonly #running = new Set<AbortController>();
  /** Of the work that the running code is a part of. */
  readonly #current = new AsyncLocalStorage<AbortSignal>();

  /** @param outer of the program: ends all work. */
  constructor(outer: AbortSignal) {
    this.#outer = outer;
    // Following work slows down the whole process, which may be a server that outlives this shell.
    outer.addEventListener('abort', () => this.#current.disable(), { once: true });
  }

  /**
   * Of the work that the caller is a part of; JavaScript may continue after the interrupt that ended it for the person.
   * @returns that of the program outside of any work. @throws `interrupted` after the interrupt.
   */
  async signal(): Promise<AbortSignal> {
    const signal = this.#outer.aborted ? this.#outer : (this.#current.getStore() ?? this.#outer);
    if (!signal.aborted) return signal;
    await sleep(refusalMs);
    throw interruption();
  }

  /** Ends what runs. @returns whether there was anything. */
  interrupt(): boolean {
    const running = [...this.#running];
    for (const each of running) each.abort(interruption());
    return running.length > 0;
  }

  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, ending, end } = await this.begin();
    try {
      return await ending(this.#current.run(signal, () => work(signal)));
    } finally {
      end();
    }
  }

  /** @throws `interrupted` within work that was interrupted. */
  async begin(): Promise<Work> {
    await this.signal();
    const running = new AbortController();
    const { signal } = running;
    setMaxListeners(0, signal);
    const outer = this.#outer;
    const onOuter = (): void => running.abort(interruption());
    if (outer.aborted) onOuter();
    outer.addEventListener('abort', onOuter);
    this.#running.add(running);
    const stalled = deferred();
    // Without a terminal nothing else keeps the process: it would end in the middle of the script.
    const onStall = (): void => stalled.reject(new Error('what the line waits for never comes: nothing is under way that could bring it'));
    stalls.add(onStall);
    // Each wait leaves nothing at what lasts longer: a list would stay in memory item by item.
    const waiting = new Set<(error: Error) => void>();
    Promise.race([givenUp(signal), stalled.promise]).catch((error: Error) => {
      for (const reject of waiting) reject(error);
    });
    return {
      signal,
      ending: async work => {
        try {
          return await new Promise((resolve, reject) => {
            waiting.add(reject);
            work.then(resolve, reject).finally(() => waiting.delete(reject));
          });
        } catch (error) {
          throw signal.aborted && !(error instanceof DryRunStop) ? interruption(error) : error;
        }
      },
      end: () => {
        this.#running.delete(running);
        stalls.remove(onStall);
        outer.removeEventListener('abort', onOuter);
      },
    };
  }
}

function interruption(cause?: unknown): Error {
  return markedInterruption(interrupted(cause));
}

/** Items until the work is interrupted. */
export async function* until(items: AsyncIterable<unknown>, ending: Work['ending']): AsyncGenerator<unknown> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await ending(iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A promise that is rejected from outside. */
function deferred(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject = (_error: Error): void => {};
  const promise = new Promise<never>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

/** Never resolves. @throws `interrupted` when work that was interrupted had time to end. */
async function givenUp(signal: AbortSignal): Promise<never> {
  await new Promise<void>(resolve => {
    signal.addEventListener('abort', () => setTimeout(resolve, patienceMs).unref(), { once: true });
  });
  throw interruption();
}
