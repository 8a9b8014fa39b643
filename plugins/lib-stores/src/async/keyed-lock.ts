/** One holder at a time per path or upload, first come first served; within this process only. */
export class KeyedLock {
  /** Waiting callers by path that is held. */
  readonly #held = new Map<string, (() => void)[]>();

  /** Resolves when the path is the caller's, who must {@link release} it. */
  async acquire(path: string): Promise<void> {
    const waiting = this.#held.get(path);
    if (waiting) await new Promise<void>(go => waiting.push(go));
    else this.#held.set(path, []);
  }

  /** Acquires a path that is free. @returns whether it was. */
  tryAcquire(path: string): boolean {
    if (this.#held.has(path)) return false;
    this.#held.set(path, []);
    return true;
  }

  release(path: string): void {
    const next = this.#held.get(path)?.shift();
    if (next) next();
    else this.#held.delete(path);
  }

  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire(path)) await this.acquire(path);
    try {
      return await work();
    } finally {
      this.release(path);
    }
  }
}
