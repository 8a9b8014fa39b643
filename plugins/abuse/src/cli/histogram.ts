/** How long the successes took. */

/** Upper bounds in milliseconds. */
const buckets = [1, 2, 5, 7, 10, 15, 25, 50, 75, 100, 250, 350, 500, 750, 1000, 5000] as const;

export class Histogram {
  readonly #counts: number[] = buckets.map(() => 0);
  #min = Number.POSITIVE_INFINITY;
  #max = 0;
  #total = 0;

  /** @param ms duration of one success. */
  add(ms: number): void {
    // Each bucket counts everything up to its bound.
    for (const [index, bound] of buckets.entries()) if (ms <= bound) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#min = Math.min(this.#min, ms);
    this.#max = Math.max(this.#max, ms);
    this.#total++;
  }

  toString(): string {
    const rows = buckets.map((bound, index) => `${bound}\t${this.#counts[index] ?? 0}`);
    const min = this.#total === 0 ? 0 : Math.round(this.#min);
    return ['Histogram (ms):', ...rows, `min\t${min}`, `max\t${Math.round(this.#max)}`, `total\t${this.#total}`].join('\n');
  }
}
