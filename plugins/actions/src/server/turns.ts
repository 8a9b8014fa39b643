/** Lets so many work at a time, first come first served. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** @returns what to call at the end. */
  async next(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const following = this.#waiting.shift();
      if (following) following();
      else this.#free++;
    };
  }
}
