/** Lets changes of one path, or one upload, take place one after the other. */
export class Turns {
  /** Those who wait for a path that is taken. */
  readonly #taken = new Map<string, (() => void)[]>();

  /** Resolves when the path is the caller's, who must {@link leave} it. */
  async take(path: string): Promise<void> {
    const waiting = this.#taken.get(path);
    if (waiting) await new Promise<void>(go => waiting.push(go));
    else this.#taken.set(path, []);
  }

  /** Takes a path that is free. */
  tryTake(path: string): boolean {
    if (this.#taken.has(path)) return false;
    this.#taken.set(path, []);
    return true;
  }

  leave(path: string): void {
    const next = this.#taken.get(path)?.shift();
    if (next) next();
    else this.#taken.delete(path);
  }

  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (!this.tryTake(path)) await this.take(path);
    try {
      return await work();
    } finally {
      this.leave(path);
    }
  }
}
