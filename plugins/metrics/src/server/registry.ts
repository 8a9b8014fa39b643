/** The metrics of one server: what has been declared, and its numbers. */

import { SrvError } from '@srv/kernel';
import { requestBuckets } from '@srv/kernel/metrics';
import { CounterSeries, GaugeSeries, HistogramSeries, SeriesFamily } from './series.js';
import type { Counter, Family, Gauge, Histogram, HistogramFacts, MetricFacts, Metrics } from '@srv/kernel/metrics';

interface Declared<K extends string, S> {
  readonly kind: K;
  readonly name: string;
  readonly help: string;
  readonly family: SeriesFamily<S>;
}

interface DeclaredHistogram extends Declared<'histogram', HistogramSeries> {
  readonly buckets: readonly number[];
}

export type DeclaredMetric = Declared<'counter', CounterSeries> | Declared<'gauge', GaugeSeries> | DeclaredHistogram;

const nameForm = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export class MetricsRegistry implements Metrics {
  readonly #declared = new Map<string, DeclaredMetric>();
  readonly #updates: (() => void)[] = [];

  counter({ name, help, labels = [] }: MetricFacts): Family<Counter> {
    return this.#declare({ kind: 'counter', name, help, family: new SeriesFamily(name, labels, () => new CounterSeries()) }).family;
  }

  gauge({ name, help, labels = [] }: MetricFacts): Family<Gauge> {
    return this.#declare({ kind: 'gauge', name, help, family: new SeriesFamily(name, labels, () => new GaugeSeries()) }).family;
  }

  histogram({ name, help, labels = [], buckets = requestBuckets }: HistogramFacts): Family<Histogram> {
    if (buckets.some((bound, i) => !Number.isFinite(bound) || (i > 0 && bound <= (buckets[i - 1] ?? bound))))
      throw new SrvError('plugin', `metric ${name}: buckets ${buckets.join(' ')} must be finite and ascend`);
    const family = new SeriesFamily(name, labels, () => new HistogramSeries(buckets));
    return this.#declare({ kind: 'histogram', name, help, family, buckets }).family;
  }

  beforeScrape(update: () => void): void {
    this.#updates.push(update);
  }

  /** Every metric with current numbers, in order of declaration. */
  read(): DeclaredMetric[] {
    for (const update of this.#updates) update();
    return [...this.#declared.values()];
  }

  #declare<D extends DeclaredMetric>(metric: D): D {
    const { name } = metric;
    if (!nameForm.test(name)) throw new SrvError('plugin', `metric name ${JSON.stringify(name)}: use letters, digits and underscores`);
    const known = this.#declared.get(name);
    if (known === undefined) this.#declared.set(name, metric);
    else if (shapeOf(known) !== shapeOf(metric))
      throw new SrvError('plugin', `metric ${name} is declared twice: as ${shapeOf(known)} and as ${shapeOf(metric)}`);
    // The same shape is the same kind.
    return (known as D | undefined) ?? metric;
  }
}

function shapeOf(metric: DeclaredMetric): string {
  const labels = `${metric.kind} {${metric.family.labelNames.join(', ')}}`;
  return metric.kind === 'histogram' ? `${labels} with buckets ${metric.buckets.join(' ')}` : labels;
}
