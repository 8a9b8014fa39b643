/** How long steps take. */
import { formatDuration } from '@srv/kernel';

export class Latency {
  readonly #taken: number[] = [];

  async of<T>(work: Promise<T>): Promise<T> {
    const began = performance.now();
    const value = await work;
    this.#taken.push(performance.now() - began);
    return value;
  }

  /** Milliseconds. */
  get median(): number {
    const sorted = this.#taken.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }

  get text(): string {
    return this.median < 1 ? 'less than 1ms' : formatDuration(Math.round(this.median));
  }
}
