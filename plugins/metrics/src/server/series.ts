/** The numbers: one object per set of label values, so that counting is an addition and nothing else. */

import { SrvError } from '@srv/kernel';
import type { Counter, Family, Gauge, Histogram } from '@srv/kernel/metrics';

export class CounterSeries implements Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

export class GaugeSeries implements Gauge {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  add(amount: number): void {
    this.value += amount;
  }
}

export class HistogramSeries implements Histogram {
  readonly bounds: readonly number[];
  /** Observations up to each bound and above the bound before; the last is for those above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? value)) at++;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

interface LabelledSeries<S> {
  readonly labels: Readonly<Record<string, string>>;
  readonly series: S;
}

/** All series of a metric. */
export class SeriesFamily<S> implements Family<S> {
  readonly labelNames: readonly string[];
  readonly #name: string;
  readonly #create: () => S;
  readonly #series = new Map<string, LabelledSeries<S>>();

  constructor(name: string, labelNames: readonly string[], create: () => S) {
    this.#name = name;
    this.labelNames = labelNames;
    this.#create = create;
    // Without labels there is one series, which is there from the beginning.
    if (labelNames.length === 0) this.labels();
  }

  labels(...values: readonly string[]): S {
    if (values.length !== this.labelNames.length)
      throw new SrvError(
        'internal',
        `metric ${this.#name} has the labels ${this.labelNames.join(', ')}; ${values.length} values were given`,
      );
    const key = values.join('\0');
    const found = this.#series.get(key);
    if (found) return found.series;
    const labels = Object.fromEntries(this.labelNames.map((name, i) => [name, values[i] ?? '']));
    const series = this.#create();
    this.#series.set(key, { labels, series });
    return series;
  }

  /** In the order of their first use. */
  all(): Iterable<LabelledSeries<S>> {
    return this.#series.values();
  }
}
