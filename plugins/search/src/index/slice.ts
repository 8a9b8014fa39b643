/** Long loops in slices, so that nothing waits for them. */
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '@srv/kernel';

/** Milliseconds. */
const slice = 8;

export class Slices {
  #resumed = performance.now();
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether {@link pause} is due. To be asked every few hundred rounds. */
  get isDue(): boolean {
    return performance.now() - this.#resumed > slice;
  }

  /** Lets others run. @throws SrvError `cancelled`. */
  async pause(): Promise<void> {
    await setImmediate();
    throwIfAborted(this.#signal);
    this.#resumed = performance.now();
  }
}
