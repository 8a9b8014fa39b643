/** 64 bits for the values of a row, seeded at random: equal values have equal hashes, and values made to share one do not, since the seed is not known. */
import type { Cell } from './table-file.js';

export class RowHash {
  high = 0;
  low = 0;
  readonly #seeds: Uint32Array<ArrayBuffer>;

  constructor(seeds = crypto.getRandomValues(new Uint32Array(4))) {
    this.#seeds = seeds;
  }

  /** Before the first value of a row. */
  begin(): void {
    this.high = this.#seeds[0] ?? 0;
    this.low = this.#seeds[1] ?? 0;
  }

  add(cell: Cell): void {
    let { high, low } = this;
    // Lengths keep values apart: `ab`, `c` is not `a`, `bc`.
    const length = cell === null ? 0xffffffff : cell.length;
    high = Math.imul(high ^ length, 0x9e3779b1) ^ (low >>> 15);
    low = Math.imul(low ^ length ^ (this.#seeds[2] ?? 0), 0x85ebca77) ^ (high >>> 13);
    for (let i = 0; i < (cell?.length ?? 0); i++) {
      const code = cell?.charCodeAt(i) ?? 0;
      high = Math.imul(high ^ code, 0x9e3779b1) + (low >>> 16);
      low = Math.imul(low ^ code ^ (this.#seeds[3] ?? 0), 0x5f356495) ^ (high >>> 17);
    }
    this.high = high >>> 0;
    this.low = low >>> 0;
  }
}
