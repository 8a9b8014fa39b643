/** Runs work of one key in order, and work of different keys side by side. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(key) === settled) this.#tails.delete(key);
      });
    this.#tails.set(key, settled);
    return mine;
  }

  /** Resolves when everything that runs now has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
