/** Whose hooks run now, of those that nothing waits for: the hooks of one repository do not keep those of another waiting. */
export class Places {
  readonly #count: number;
  /** Runs in progress, by repository. */
  readonly #held = new Map<string, number>();
  /** By repository, the one that has waited longest first; repositories whose last turn is longest ago come first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #taken = 0;

  /** @param count runs at the same time; as many repositories more, of which nothing runs, have one each. */
  constructor(count: number) {
    this.#count = count;
  }

  /** Waits for a place. @returns what gives it back. */
  async take(repository: string): Promise<() => void> {
    if (this.#isFree(repository)) this.#hold(repository);
    else await new Promise<void>(resolve => this.#wait(repository, resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#giveBack(repository);
    };
  }

  #wait(repository: string, enter: () => void): void {
    const waiting = this.#waiting.get(repository);
    if (waiting) waiting.push(enter);
    else this.#waiting.set(repository, [enter]);
  }

  #giveBack(repository: string): void {
    this.#taken--;
    const rest = this.#heldBy(repository) - 1;
    if (rest > 0) this.#held.set(repository, rest);
    else this.#held.delete(repository);
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#admit(next);
  }

  /** @returns the repository with the fewest runs whose turn it is. */
  #next(): string | undefined {
    let next: string | undefined;
    for (const repository of this.#waiting.keys()) {
      const isBefore = next === undefined || this.#heldBy(repository) < this.#heldBy(next);
      if (isBefore && this.#isFree(repository)) next = repository;
    }
    return next;
  }

  #admit(repository: string): void {
    const waiting = this.#waiting.get(repository) ?? [];
    const enter = waiting.shift();
    this.#waiting.delete(repository);
    if (waiting.length > 0) this.#waiting.set(repository, waiting);
    this.#hold(repository);
    enter?.();
  }

  #hold(repository: string): void {
    this.#taken++;
    this.#held.set(repository, this.#heldBy(repository) + 1);
  }

  #isFree(repository: string): boolean {
    return this.#taken < this.#count * (this.#heldBy(repository) === 0 ? 2 : 1);
  }

  #heldBy(repository: string): number {
    return this.#held.get(repository) ?? 0;
  }
}
