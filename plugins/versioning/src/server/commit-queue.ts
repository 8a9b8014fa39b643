/** Commits in an order of priority: a binary heap. */
import type { Commit } from '../contract.js';

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
      if (this.#before(heap[parent], heap[at]) <= 0) break;
      [heap[parent], heap[at]] = [heap[at], heap[parent]];
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
      const best = children.reduce((b, i) => (this.#before(heap[i], heap[b]) < 0 ? i : b), at);
      if (best === at) return first;
      [heap[best], heap[at]] = [heap[at], heap[best]];
      at = best;
    }
  }
}
