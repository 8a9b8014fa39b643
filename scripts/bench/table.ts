/** Results as Markdown. */
import { cpus, totalmem } from 'node:os';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

export function markdown({ name, description }: Pick<Benchmark, 'name' | 'description'>, rows: readonly BenchmarkRow[]): string {
  const cells = rows.map(({ what, value, unit, ratio }) => [
    what,
    shown(value),
    unit,
    ratio ? `${shown(ratio.value)} times ${ratio.to}` : '',
  ]);
  const table = [['what', 'value', 'unit', 'in comparison'], ['---', '---:', '---', '---'], ...cells];
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
