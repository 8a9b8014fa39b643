/** Something that is done at once and then at intervals, never twice at a time. */

export class Repeated {
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** @param interval milliseconds, from 1. @param work never rejects; its signal is aborted by {@link stop}. */
  constructor(interval: number, work: (stop: AbortSignal) => Promise<void>) {
    const run = (): void => {
      this.#running ??= work(this.#stop.signal).finally(() => {
        this.#running = undefined;
      });
    };
    this.#timer = setInterval(run, interval).unref();
    run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#running;
  }
}
