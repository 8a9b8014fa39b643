/**
 * Runs benchmarks and prints their results as Markdown: `npm run bench -- [name …] [--also NODE] [--smoke] [--list]`. Without a
 * name: all.
 * `npm run bench -- versus <commit or checkout>` compares two states of this repository.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { benchmarks } from './bench/index.js';
import { machine, markdown } from './bench/table.js';
import { versus } from './bench/versus/index.js';
import type { Measured } from './bench/table.js';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    /** Tiny sizes: shows that the benchmarks work, measures nothing. */
    smoke: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    /** Program of another Node, by which everything is measured as well. */
    also: { type: 'string' },
    /** For that other Node: results as JSON. */
    json: { type: 'boolean', default: false },
    /** Of `versus`: where the servers keep their records. */
    database: { type: 'string', default: 'local' },
    /** Of `versus`: processes of each server. */
    workers: { type: 'string', default: '1' },
    /** Of `versus`: rows whose names contain it. */
    only: { type: 'string', default: '' },
  },
});

if (names[0] === 'versus') await compare(names.slice(1));
else await runAll();

async function compare([other, ...more]: readonly string[]): Promise<void> {
  const { database, only, smoke } = options;
  if (other === undefined || more.length > 0) throw new Error('versus takes one argument: a commit, or the folder of a built checkout');
  if (database !== 'local' && database !== 'postgres') throw new Error(`--database ${database}: give local or postgres`);
  print(`${machine()}\n\n`);
  const rows = await versus({ other, database, smoke, only, workers: Number(options.workers) });
  print(markdown({ name: 'versus', description: `This checkout against ${other}, records in ${database} storage` }, rows));
}

async function runAll(): Promise<void> {
  const known = benchmarks.map(({ name }) => name);
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`no benchmark is named ${unknown.join(', ')}; there are ${[...known, 'versus'].join(', ')}\n`);
    process.exitCode = 1;
    return;
  }
  if (options.list) {
    for (const { name, description } of benchmarks) print(`${name}: ${description}\n`);
    print('versus <commit or checkout>: The server of this checkout against that of another, over HTTP\n');
    return;
  }
  if (options.json) {
    const [benchmark] = benchmarks.filter(({ name }) => names.includes(name));
    if (!benchmark) throw new Error('--json goes with the name of a benchmark');
    print(JSON.stringify({ node: process.version, rows: await benchmark.run({ smoke: options.smoke }) } satisfies Measured));
    return;
  }
  print(`${machine()}\n`);
  if (options.smoke) print('\nSmoke run: the figures mean nothing.\n');
  for (const benchmark of benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const rows = await benchmark.run({ smoke: options.smoke });
    print(`\n${markdown(benchmark, rows, options.also === undefined ? undefined : await measuredBy(options.also, benchmark.name))}`);
  }
}

async function measuredBy(node: string, name: string): Promise<Measured> {
  const args = ['--enable-source-maps', import.meta.filename, name, '--json', ...(options.smoke ? ['--smoke'] : [])];
  const { stdout } = await promisify(execFile)(node, args, { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as Measured;
}

function print(text: string): void {
  process.stdout.write(text);
}
