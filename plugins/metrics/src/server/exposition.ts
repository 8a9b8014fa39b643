/** The page Prometheus reads. Loaded with the first scrape: the library is slow to load, and no request waits for it before. */
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { HistogramConfiguration, MetricObjectWithValues, MetricValue } from 'prom-client';
import type { DeclaredMetric, MetricsRegistry } from './registry.js';
import type { HistogramSeries, SeriesFamily } from './series.js';

/** Names that existing dashboards ask for; ours stand beside them. */
const foreignPrefix = /^lakefs_/;

/** All metrics of one server with their numbers. */
export type Numbers = MetricObjectWithValues<MetricValue<string>>[];

/** They are the process's: servers that share one show the same. */
let ofProcess: Registry | undefined;

function processRegistry(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

export class Exposition {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #source: MetricsRegistry;
  readonly #registry = new Registry();

  constructor(source: MetricsRegistry) {
    this.#source = source;
  }

  /**
   * In the text format, version 0.0.4.
   * @param others numbers of other servers that belong to this one, as their {@link numbers}: the page shows the sum.
   */
  async text(others: readonly Numbers[] = []): Promise<string> {
    if (others.length > 0) return AggregatorRegistry.aggregate([await this.numbers(), ...others]).metrics();
    this.#update();
    return `${await this.#registry.metrics()}\n${await processRegistry().metrics()}`;
  }

  /** As data that can be sent. */
  async numbers(): Promise<Numbers> {
    this.#update();
    return [...(await this.#registry.getMetricsAsJSON()), ...(await processRegistry().getMetricsAsJSON())];
  }

  #update(): void {
    for (const metric of this.#source.read()) {
      this.#register(metric.name, metric);
      if (foreignPrefix.test(metric.name)) this.#register(metric.name.replace(foreignPrefix, 'srv_'), metric);
    }
  }

  #register(name: string, metric: DeclaredMetric): void {
    if (this.#registry.getSingleMetric(name)) return;
    const { help, family } = metric;
    const facts = { name, help, labelNames: [...family.labelNames], registers: [this.#registry] };
    if (metric.kind === 'counter') {
      new Counter({
        ...facts,
        collect() {
          this.reset();
          for (const { labels, series } of metric.family.all()) this.inc(labels, series.value);
        },
      });
    } else if (metric.kind === 'gauge') {
      new Gauge({
        ...facts,
        collect() {
          this.reset();
          for (const { labels, series } of metric.family.all()) this.set(labels, series.value);
        },
      });
    } else new SeriesHistogram(facts, metric.family);
  }
}

interface Line {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The library takes observations one by one; ours have been counted already. */
class SeriesHistogram extends Histogram {
  readonly #facts: HistogramConfiguration<string>;
  readonly #family: SeriesFamily<HistogramSeries>;

  constructor(facts: HistogramConfiguration<string>, family: SeriesFamily<HistogramSeries>) {
    super(facts);
    this.#facts = facts;
    this.#family = family;
  }

  /** Where the registry, and `get`, take a histogram's numbers from. */
  async getForPromString(): Promise<{ name: string; help: string; type: string; values: Line[]; aggregator: string }> {
    const { name, help } = this.#facts;
    const values = [...this.#family.all()].flatMap(({ labels, series }) => linesOf(name, labels, series));
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}

function linesOf(name: string, sharedLabels: Line['sharedLabels'], { bounds, counts, sum }: HistogramSeries): Line[] {
  let count = 0;
  const buckets = [...bounds, '+Inf'].map((le, i) => {
    count += counts[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count };
  });
  const whole = { labels: {}, sharedLabels };
  return [...buckets, { metricName: `${name}_sum`, ...whole, value: sum }, { metricName: `${name}_count`, ...whole, value: count }];
}
