/** How numbers are distributed, in one pass: bars of equal width, a power of two, so narrow that at most `most` are needed. */

const most = 48;

export interface Bars {
  /** Where the first one begins, and the width of each. */
  readonly from: number;
  readonly width: number;
  readonly counts: readonly number[];
}

export class Histogram {
  #exponent = -1074;
  #width = 2 ** -1074;
  /** Number of the first bar: it begins at `#first * #width`. */
  #first = 0;
  #counts: number[] = [];

  /** @param value finite. @param times how often it occurs. */
  add(value: number, times = 1): void {
    let bar = barOf(value, this.#width) - this.#first;
    if (this.#counts.length === 0) {
      this.#fit(value, value);
      bar = 0;
    } else if (!(bar >= 0 && bar < this.#counts.length)) {
      const end = (this.#first + this.#counts.length - 1) * this.#width;
      this.#fit(Math.min(value, this.#first * this.#width), Math.max(value, end));
      bar = barOf(value, this.#width) - this.#first;
    }
    this.#counts[bar] = (this.#counts[bar] ?? 0) + times;
  }

  get bars(): Bars {
    return { from: this.#first * this.#width, width: this.#width, counts: this.#counts };
  }

  /** Widens the bars until they cover a range, and moves what is counted into them. */
  #fit(least: number, greatest: number): void {
    let exponent = this.#exponent;
    // A narrower bar would not differ from its neighbour: numbers have 53 bits.
    const size = Math.max(Math.abs(least), Math.abs(greatest));
    if (size > 0) exponent = Math.max(exponent, Math.floor(Math.log2(size)) - 51);
    while (barOf(greatest, 2 ** exponent) - barOf(least, 2 ** exponent) >= most) exponent++;
    const width = 2 ** exponent;
    const first = barOf(least, width);
    const counts = Array.from({ length: barOf(greatest, width) - first + 1 }, () => 0);
    for (const [i, count] of this.#counts.entries()) {
      const bar = barOf((this.#first + i) * this.#width, width) - first;
      counts[bar] = (counts[bar] ?? 0) + count;
    }
    this.#exponent = exponent;
    this.#width = width;
    this.#first = first;
    this.#counts = counts;
  }
}

/** Number of the bar of a value. */
function barOf(value: number, width: number): number {
  const bar = Math.floor(value / width);
  // The quotient of a tiny number is zero.
  return bar === 0 && value < 0 ? -1 : bar;
}
