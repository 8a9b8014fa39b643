/**
 * Shares reads of one key among callers that arrive together. A caller never gets a result older than its request: it
 * joins only reads that have not begun.
 */
import { setTimeout } from 'node:timers/promises';

export class ReadBatcher {
  /** Milliseconds a read waits at most for the one before it. */
  readonly #delay: number;
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<unknown>>();

  constructor(delay: number) {
    this.#delay = delay;
  }

  read<T>(key: string, load: () => Promise<T>): Promise<T> {
    if (this.#delay === 0) return load();
    const joined = this.#next.get(key);
    if (joined) return joined as Promise<T>;
    const before = this.#running.get(key);
    if (!before) return this.#begin(key, load);
    const queued = Promise.race([before.catch(() => {}), setTimeout(this.#delay)]).then(() => {
      this.#next.delete(key);
      return this.#begin(key, load);
    });
    this.#next.set(key, queued);
    return queued;
  }

  #begin<T>(key: string, load: () => Promise<T>): Promise<T> {
    const running = load().finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    this.#running.set(key, running);
    return running;
  }
}
