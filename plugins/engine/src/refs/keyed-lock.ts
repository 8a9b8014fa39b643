/** One holder at a time per key, first come first served; within this process only. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    let release = (): void => {};
    const tail = new Promise<void>(resolve => {
      release = resolve;
    });
    const chained = before.then(() => tail);
    this.#tails.set(key, chained);
    await before;
    try {
      return await work();
    } finally {
      release();
      if (this.#tails.get(key) === chained) this.#tails.delete(key);
    }
  }
}
