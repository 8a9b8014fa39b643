/** Reads a metrics page as strictly as its format is written down (text format 0.0.4), for tests of what plugins measure. */
import { SrvError } from '@srv/kernel';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface ScrapedMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export class MetricsPage {
  readonly metrics: ReadonlyMap<string, ScrapedMetric>;

  constructor(metrics: readonly ScrapedMetric[]) {
    this.metrics = new Map(metrics.map(metric => [metric.name, metric]));
  }

  /** Sum of the samples of that name, such as `x_total` or `x_seconds_count`, that have all of `labels`; 0 without such samples. */
  value(name: string, labels: Labels = {}): number {
    const wanted = Object.entries(labels);
    const samples = this.samples(name).filter(sample => wanted.every(([label, value]) => sample.labels[label] === value));
    return samples.reduce((sum, { value }) => sum + value, 0);
  }

  samples(name: string): readonly Sample[] {
    return [...this.metrics.values()].flatMap(({ samples }) => samples.filter(sample => sample.name === name));
  }
}

const nameForm = '[a-zA-Z_][a-zA-Z0-9_]*';
const helpLine = new RegExp(`^# HELP (${nameForm}) ((?:[^\\\\]|\\\\[\\\\n])*)$`);
const typeLine = new RegExp(`^# TYPE (${nameForm}) (counter|gauge|histogram)$`);
const sampleLine = new RegExp(`^(${nameForm})(?:\\{(.*)\\})? (\\+Inf|-Inf|Nan|[-+]?[0-9]+(?:\\.[0-9]+)?(?:e[-+]?[0-9]+)?)$`);
const label = new RegExp(`(${nameForm})="((?:[^"\\\\\\n]|\\\\[\\\\"n])*)"(?:,|$)`, 'y');
/** Name, label and bound that distinguish the samples of a histogram. */
const histogramSuffixes = ['_bucket', '_sum', '_count'];

/** @throws SrvError `corrupt` with the first line that breaks the format, or the histogram that contradicts itself. */
export function parseMetrics(text: string): MetricsPage {
  if (!text.endsWith('\n')) throw broken('the last line does not end');
  const metrics: { name: string; type: ScrapedMetric['type']; help: string; samples: Sample[] }[] = [];
  let help: readonly [name: string, text: string] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helpName, helpText] = helpLine.exec(line) ?? [];
    const [, typeName, type] = typeLine.exec(line) ?? [];
    if (line === '') continue;
    if (helpName !== undefined) help = [helpName, helpText ?? ''];
    else if (typeName !== undefined) {
      if (help?.[0] !== typeName) throw broken(`no help before ${line}`);
      if (metrics.some(({ name }) => name === typeName)) throw broken(`${typeName} comes twice`);
      metrics.push({ name: typeName, type: type as ScrapedMetric['type'], help: help[1], samples: [] });
    } else {
      const sample = parseSample(line);
      const metric = metrics.at(-1);
      const names = metric?.type === 'histogram' ? histogramSuffixes.map(suffix => metric.name + suffix) : [metric?.name];
      if (!metric || !names.includes(sample.name)) throw broken(`not below its type: ${line}`);
      metric.samples.push(sample);
    }
  }
  for (const metric of metrics) checkMetric(metric);
  return new MetricsPage(metrics);
}

function parseSample(line: string): Sample {
  const match = sampleLine.exec(line);
  if (!match) throw broken(line);
  const [, name = '', inner = '', number] = match;
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  let end = 0;
  for (let found = label.exec(inner); found; found = end < inner.length ? label.exec(inner) : null) {
    const [, key = '', value = ''] = found;
    if (Object.hasOwn(labels, key)) throw broken(`duplicate label ${key}: ${line}`);
    labels[key] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    end = label.lastIndex;
  }
  if (end !== inner.length) throw broken(`labels: ${line}`);
  return {
    name,
    labels,
    value: number === '+Inf' ? Number.POSITIVE_INFINITY : number === '-Inf' ? Number.NEGATIVE_INFINITY : Number(number),
  };
}

function checkMetric({ name, type, samples }: ScrapedMetric): void {
  const seen = new Set<string>();
  for (const sample of samples) {
    const key = sample.name + keyOf(sample.labels);
    if (seen.has(key)) throw broken(`${key} comes twice`);
    seen.add(key);
    if (type !== 'gauge' && !(sample.value >= 0)) throw broken(`${key} is ${sample.value}, and ${name} is a ${type}`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Buckets ascend, the last is everything, and the count says the same. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...others } = sample.labels;
    const key = keyOf(others);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, own] of series) {
    const buckets = own.filter(sample => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])));
    const count = own.find(sample => sample.name === `${name}_count`)?.value;
    if (!own.some(sample => sample.name === `${name}_sum`)) throw broken(`${name} ${key} has no sum`);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== count)
      throw broken(`${name} ${key}: the last bucket is not all`);
    if (bounds.some((bound, i) => i > 0 && !(bound > (bounds[i - 1] ?? bound)))) throw broken(`${name} ${key}: bounds ${bounds.join(' ')}`);
    if (buckets.some(({ value }, i) => i > 0 && value < (buckets[i - 1]?.value ?? value))) throw broken(`${name} ${key}: buckets shrink`);
  }
}

/** The same for the same labels in any order. */
function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function broken(what: string): SrvError {
  return new SrvError('corrupt', `no metrics page: ${what}`);
}
