/** A bounded number of works at a time; others wait in order. */
import { SrvError, throwIfAborted } from '@srv/kernel';

export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Works that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @returns what ends the turn; it may be called again. @throws SrvError `cancelled`. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    if (this.#running >= this.#limit)
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(begin), 1);
          reject(new SrvError('cancelled', 'the request was cancelled'));
        };
        const begin = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        this.#waiting.push(begin);
        signal?.addEventListener('abort', leave, { once: true });
      });
    else this.#running++;
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      // The place goes to the next one.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
  }
}
