/** What the values of a column are like, over all rows: nulls, limits, how many differ, which are frequent, how they are distributed. */
import { DistinctCount, addNumber } from './distinct-count.js';
import { Histogram } from './histogram.js';
import { RowHash } from './row-hash.js';
import { compareOrders } from './table-file.js';
import type { Bars } from './histogram.js';
import type { Cell, Order, TableColumn } from './table-file.js';

export interface ColumnSummary {
  readonly rows: number;
  readonly nulls: number;
  readonly distinct: number;
  /** `distinct` is counted, not estimated. */
  readonly isExact: boolean;
  readonly least: Cell;
  readonly greatest: Cell;
  /** The most frequent values, while all are counted. */
  readonly top: readonly { readonly value: Cell; readonly count: number }[];
  /** Of numbers and times. */
  readonly bars?: Bars & { readonly labels: readonly [string, string] };
}

/** Different values that are counted one by one. */
const mostCounted = 20_000;
const shownTop = 10;
/** Values that are looked at to see whether they repeat. */
const sampled = 512;

export class ColumnCounter {
  readonly #column: TableColumn;
  #rows = 0;
  #nulls = 0;
  #counts: Map<Order, { value: unknown; count: number }> | undefined = new Map();
  readonly #distinct = new DistinctCount();
  readonly #hash = new RowHash();
  readonly #histogram = new Histogram();
  #least: { order: Order; value: unknown } | undefined;
  #greatest: { order: Order; value: unknown } | undefined;

  constructor(column: TableColumn) {
    this.#column = column;
  }

  /** @param count values from the first. */
  add(values: ArrayLike<unknown>, count: number): void {
    this.#rows += count;
    if (repeats(values, count)) this.#addRepeated(values, count);
    else for (let i = 0; i < count; i++) this.#addOne(values[i], 1);
  }

  /** Values of a dictionary: each is looked at once. */
  #addRepeated(values: ArrayLike<unknown>, count: number): void {
    const counts = new Map<unknown, number>();
    for (let i = 0; i < count; i++) counts.set(values[i], (counts.get(values[i]) ?? 0) + 1);
    for (const [value, times] of counts) this.#addOne(value, times);
  }

  #addOne(value: unknown, times: number): void {
    const order = this.#column.order(value);
    if (order === null) {
      // An empty text has no order of its own.
      if (this.#column.text(value) === null) this.#nulls += times;
      else this.#count('', value, times);
      return;
    }
    this.#count(order, value, times);
    if (typeof order === 'string') {
      this.#limits(order, value);
      return;
    }
    const number = Number(order);
    if (Number.isNaN(number)) return;
    this.#limits(order, value);
    if (Number.isFinite(number)) this.#histogram.add(number, times);
  }

  #limits(order: number | bigint | string, value: unknown): void {
    if (!this.#least || compareOrders(order, this.#least.order) < 0) this.#least = { order, value };
    if (!this.#greatest || compareOrders(order, this.#greatest.order) > 0) this.#greatest = { order, value };
  }

  #count(order: Order, value: unknown, times: number): void {
    if (this.#counts) {
      const known = this.#counts.get(order);
      if (known) known.count += times;
      else if (this.#counts.size < mostCounted) this.#counts.set(order, { value, count: times });
      else {
        for (const [each] of this.#counts) this.#estimate(each);
        this.#counts = undefined;
      }
    }
    if (!this.#counts) this.#estimate(order);
  }

  #estimate(order: Order): void {
    if (typeof order === 'string') {
      this.#hash.begin();
      this.#hash.add(order);
      this.#distinct.add(this.#hash.high, this.#hash.low);
    } else if (order !== null) addNumber(this.#distinct, order);
  }

  get summary(): ColumnSummary {
    const bars = this.#histogram.bars;
    const { label } = this.#column;
    const isDrawn = label && bars.counts.length > 1;
    return {
      rows: this.#rows,
      nulls: this.#nulls,
      distinct: this.#counts?.size ?? Math.min(this.#rows - this.#nulls, this.#distinct.estimate()),
      isExact: this.#counts !== undefined,
      least: this.#least ? this.#column.text(this.#least.value) : null,
      greatest: this.#greatest ? this.#column.text(this.#greatest.value) : null,
      top: this.#top(),
      ...(isDrawn ? { bars: { ...bars, labels: [label(bars.from), label(bars.from + bars.width * bars.counts.length)] } } : {}),
    };
  }

  #top(): ColumnSummary['top'] {
    const all = [...(this.#counts?.values() ?? [])];
    // Where every value is another one, none is frequent.
    if (all.length > shownTop && all.every(({ count }) => count === 1)) return [];
    return all
      .sort((a, b) => b.count - a.count)
      .slice(0, shownTop)
      .map(({ value, count }) => ({ value: this.#column.text(value), count }));
  }
}

function repeats(values: ArrayLike<unknown>, count: number): boolean {
  if (count < sampled * 4) return false;
  const seen = new Set<unknown>();
  for (let i = 0; i < sampled; i++) seen.add(values[Math.floor((i * count) / sampled)]);
  return seen.size < sampled / 2;
}
