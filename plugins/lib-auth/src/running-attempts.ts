/** Attempts to log in that have not ended, by what they are counted by. */

interface Running {
  count: number;
  waiting: (() => void)[];
}

export class RunningAttempts {
  readonly #byKey = new Map<string, Running>();

  count(key: string): number {
    return this.#byKey.get(key)?.count ?? 0;
  }

  /** Resolves when one of those that run ends, for callers in the order of their calls. */
  nextEnd(key: string): Promise<void> {
    return new Promise(resolve => {
      const running = this.#byKey.get(key);
      if (running) running.waiting.push(resolve);
      else resolve();
    });
  }

  begin(key: string): void {
    const running = this.#byKey.get(key);
    if (running) running.count++;
    else this.#byKey.set(key, { count: 1, waiting: [] });
  }

  end(key: string): void {
    const running = this.#byKey.get(key);
    if (!running) return;
    if (--running.count === 0) this.#byKey.delete(key);
    for (const resume of running.waiting.splice(0)) resume();
  }
}
