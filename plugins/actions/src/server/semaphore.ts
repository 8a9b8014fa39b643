/** A bounded number of holders at a time, first come first served. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** @returns what releases it. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const following = this.#waiting.shift();
      if (following) following();
      else this.#free++;
    };
  }
}
