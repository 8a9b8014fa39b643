/** Continues moves that broke off: at the start, and as often as another server may have died. */
import { messageOf } from '@srv/kernel';
import { signExpiry } from '@srv/lib-records';
import type { Logger } from '@srv/kernel';
import type { Engine } from '../../contract.js';

interface ContinuedMovesOptions {
  readonly engine: Pick<Engine, 'continueStorageMoves'>;
  readonly log: Logger;
}

export class ContinuedMoves {
  readonly #options: ContinuedMovesOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(options: ContinuedMovesOptions) {
    this.#options = options;
  }

  start(): void {
    const { engine, log } = this.#options;
    this.#running = engine
      .continueStorageMoves(this.#stop.signal)
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'moves that broke off cannot be listed; it will be tried again'))
      .then(() => {
        if (!this.#stop.signal.aborted) this.#timer = setTimeout(() => this.start(), signExpiry).unref();
      });
  }

  /** Waits for what has begun, which needs the stores. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }
}
