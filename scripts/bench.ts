/** Runs benchmarks and prints their results as Markdown: `npm run bench -- [name …] [--smoke] [--list]`. Without a name: all. */
import { parseArgs } from 'node:util';
import { benchmarks } from './bench/index.js';
import { machine, markdown } from './bench/table.js';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    /** Tiny sizes: shows that the benchmarks work, measures nothing. */
    smoke: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

const known = benchmarks.map(({ name }) => name);
const unknown = names.filter(name => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark is named ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(1);
}
if (options.list) for (const { name, description } of benchmarks) print(`${name}: ${description}\n`);
else {
  print(`${machine()}\n`);
  if (options.smoke) print('\nSmoke run: the figures mean nothing.\n');
  for (const benchmark of benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    print(`\n${markdown(benchmark, await benchmark.run({ smoke: options.smoke }))}`);
  }
}

function print(text: string): void {
  process.stdout.write(text);
}
