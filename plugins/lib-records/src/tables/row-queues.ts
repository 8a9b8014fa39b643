/** Numbers of rows by the hash of their key, in the order they came: for any number of rows, in typed arrays. */

/** No row. */
export const noRow = 0xffffffff;

export class RowQueues {
  /** Of each row: the hash of its key, and the next row with the same. */
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  readonly #next: Uint32Array;
  /** By slot: the first and the last row that wait. */
  readonly #first: Uint32Array;
  readonly #last: Uint32Array;
  readonly #mask: number;

  /** @param rows most that are added. */
  constructor(rows: number) {
    const slots = slotsFor(rows);
    this.#mask = slots - 1;
    this.#high = new Uint32Array(rows);
    this.#low = new Uint32Array(rows);
    this.#next = new Uint32Array(rows).fill(noRow);
    this.#first = new Uint32Array(slots).fill(noRow);
    this.#last = new Uint32Array(slots).fill(noRow);
  }

  /** Bytes that queues for a number of rows take. */
  static bytesFor(rows: number): number {
    return rows * 12 + slotsFor(rows) * 8;
  }

  /** @returns whether no row before had this key. @throws Error for a row beyond those it was made for: the file says less than it has. */
  add(row: number, high: number, low: number): boolean {
    if (row >= this.#next.length) throw new Error(`the table has more rows than the ${this.#next.length} that its file says`);
    const slot = this.#slot(high, low);
    this.#high[row] = high;
    this.#low[row] = low;
    const last = this.#last[slot] ?? noRow;
    if (last === noRow) this.#first[slot] = row;
    else this.#next[last] = row;
    this.#last[slot] = row;
    return last === noRow;
  }

  /** Takes the first row that waits. @returns `noRow` if none does. */
  take(high: number, low: number): number {
    const slot = this.#slot(high, low);
    const row = this.#first[slot] ?? noRow;
    // The last one stays in `#last`: the slot keeps its key.
    if (row !== noRow) this.#first[slot] = this.#next[row] ?? noRow;
    return row;
  }

  /** The slot of a key, or a free one. */
  #slot(high: number, low: number): number {
    for (let slot = (low ^ Math.imul(high, 0x9e3779b1)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const row = this.#last[slot] ?? noRow;
      if (row === noRow || (this.#high[row] === high && this.#low[row] === low)) return slot;
    }
  }
}

/** A power of two, so that a third of the slots stays free. */
function slotsFor(rows: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(16, rows * 1.5)));
}
