/** Results as Markdown. */
import { cpus, totalmem } from 'node:os';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

/** Results of a benchmark by another Node. */
export interface Measured {
  /** Its version. */
  readonly node: string;
  readonly rows: readonly BenchmarkRow[];
}

/** @param also gets a column of its own. */
export function markdown(
  { name, description }: Pick<Benchmark, 'name' | 'description'>,
  rows: readonly BenchmarkRow[],
  also?: Measured,
): string {
  const values = new Map(also?.rows.map(({ what, value }) => [what, shown(value)]));
  const cells = rows.map(({ what, value, unit, ratio }) => [
    what,
    shown(value),
    ...(also ? [values.get(what) ?? ''] : []),
    unit,
    ratio ? `${shown(ratio.value)} times ${ratio.to}` : '',
  ]);
  const column = also ? [`with Node ${also.node}`] : [];
  const table = [
    ['what', 'value', ...column, 'unit', 'in comparison'],
    ['---', '---:', ...column.map(() => '---:'), '---', '---'],
    ...cells,
  ];
  return `### ${name}\n\n${description}.\n\n${table.map(row => `| ${row.join(' | ')} |\n`).join('')}`;
}

/** On what it was measured. */
export function machine(): string {
  const [processor] = cpus();
  const model = processor?.model.trim() ?? 'unknown processor';
  return `${model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`;
}

/** Three digits that count, thousands apart. */
function shown(value: number): string {
  const digits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
