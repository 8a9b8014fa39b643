/** Ends old uploads about once an hour. Several servers may do so at once: an upload that another has ended is not an error. */

/** Milliseconds from one sweep to the next, on average; servers started together do not sweep together. */
const interval = 3_600_000;

/** @returns milliseconds: three quarters to five quarters of an hour. */
function pause(): number {
  return interval * (0.75 + Math.random() / 2);
}

export class UploadSweeper {
  readonly #sweep: (signal: AbortSignal) => Promise<void>;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  /** @param sweep ends early when its signal is aborted; does not fail. */
  constructor(sweep: (signal: AbortSignal) => Promise<void>) {
    this.#sweep = sweep;
  }

  /** The next sweep is planned when the last one has ended. */
  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#sweep(this.#stopping.signal).finally(() => this.start());
    }, pause());
    this.#timer.unref();
  }

  /** Aborts the running sweep and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }
}
