/** Commits in an order of priority: a binary heap. */
import type { Commit } from './contract.js';

export class CommitQueue {
  readonly #before: (a: Commit, b: Commit) => number;
  readonly #heap: Commit[] = [];

  /** @param before negative when the first commit comes out first. */
  constructor(before: (a: Commit, b: Commit) => number) {
    this.#before = before;
  }

  push(commit: Commit): void {
    const heap = this.#heap;
    let at = heap.push(commit) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(parent, at);
      at = parent;
    }
  }

  pop(): Commit | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const children = [2 * at + 1, 2 * at + 2].filter(i => i < heap.length);
      const best = children.reduce((b, i) => (this.#isBefore(i, b) ? i : b), at);
      if (best === at) return first;
      this.#swap(best, at);
      at = best;
    }
  }

  /** Whether the commit at one place comes out before the commit at another. */
  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    return a !== undefined && b !== undefined && this.#before(a, b) < 0;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
