/** Prints a table, and puts it into a README when asked to. */
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * With `--write` on the command line the table also replaces what stands between the marks of its name in `readme`.
 * @param name marks are `<!-- name: written by scripts/name-table.ts -->` and `<!-- /name -->`.
 * @throws Error when `readme` lacks the marks.
 */
export function publish(name: string, readme: string, table: readonly string[]): void {
  process.stdout.write(`${table.join('\n')}\n`);
  if (!process.argv.includes('--write')) return;
  const text = readFileSync(readme, 'utf8');
  const [begin, end] = [`<!-- ${name}: written by scripts/${name}-table.ts -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${readme} lacks the marks ${begin} and ${end}`);
  writeFileSync(readme, `${text.slice(0, from)}${begin}\n${table.join('\n')}\n${text.slice(to)}`);
}
