/**
 * `npm run bench -- versus <commit or checkout> [--database postgres] [--only TEXT]`: the server of this checkout against that of
 * another, over HTTP, every row in turns, so that other work on the machine hits both alike.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@srv/test-servers/postgres';
import { repositoryRoot } from '../../repository-root.js';
import { middle } from '../benchmark.js';
import { checkedOut } from './checkout.js';
import { comparison } from './comparison.js';
import { gateway, prepareGateway } from './gateway.js';
import { writeFiles } from './import.js';
import { preSigning } from './pre-signing.js';
import { readsAndWrites, upload } from './reads-and-writes.js';
import { Side } from './side.js';
import { versions } from './versions.js';
import { pathOf, repository } from './work.js';
import type { BenchmarkRow } from '../benchmark.js';
import type { Scale, Work } from './work.js';

interface VersusOptions {
  /** A commit, or the folder of a built checkout. */
  readonly other: string;
  readonly database: 'local' | 'postgres';
  readonly smoke: boolean;
  /** Only rows whose names contain it. */
  readonly only: string;
  /** Processes of each server. */
  readonly workers: number;
}

const full = {
  committed: 20_000,
  first: 2000,
  imported: 20_000,
  duration: 800,
  warmUp: 200,
  firstWarmUp: 4000,
  loads: 12,
  loadsPerProcess: 2,
  steps: 12,
  rounds: 7,
  patience: 3,
  large: 256 * 2 ** 20,
  signedParts: 10_000,
};
const scales: Readonly<Record<'local' | 'postgres' | 'smoke', Scale>> = {
  local: { ...full, objects: 100_000 },
  postgres: { ...full, objects: 20_000 },
  smoke: {
    objects: 300,
    committed: 50,
    first: 20,
    imported: 10,
    duration: 100,
    warmUp: 20,
    firstWarmUp: 20,
    loads: 1,
    loadsPerProcess: 1,
    steps: 1,
    rounds: 1,
    patience: 1,
    large: 9 * 2 ** 20,
    signedParts: 100,
  },
};

export async function versus(options: VersusOptions): Promise<readonly BenchmarkRow[]> {
  const scale = scales[options.smoke ? 'smoke' : options.database];
  const folder = await mkdtemp(join(tmpdir(), 'versus-'));
  const sides: Side[] = [];
  const postgres = options.database === 'postgres' ? await startPostgres() : undefined;
  try {
    const source = join(folder, 'source');
    await writeFiles(source, scale.imported);
    const checkouts = { ours: repositoryRoot, theirs: await checkedOut(options.other, join(folder, 'checkout')) };
    for (const [name, checkout] of Object.entries(checkouts)) {
      const home = join(folder, name);
      const env = postgres
        ? { SRV_DATABASE_TYPE: 'postgres', SRV_DATABASE_POSTGRES_CONNECTION_STRING: await postgres.createDatabase() }
        : { SRV_DATABASE_TYPE: 'local', SRV_DATABASE_LOCAL_PATH: join(home, 'records') };
      const args = options.workers > 1 ? ['--workers', String(options.workers)] : [];
      const side = await Side.start({ name, checkout, home, source: folder, args, env });
      sides.push(side);
      await prepare(side, scale);
    }
    const works = [...readsAndWrites(scale), ...gateway(scale), ...preSigning(scale), ...versions(scale, source)].filter(({ what }) =>
      what.includes(options.only),
    );
    const rows: BenchmarkRow[] = [];
    for (const work of works) rows.push(...(await compare(work, sides, scale)));
    return [...rows, await memory(sides)];
  } finally {
    for (const side of sides) await side.kill();
    await postgres?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function prepare(side: Side, scale: Scale): Promise<void> {
  await side.call('POST', '/repositories', { name: 'bench', storage_namespace: 'local://bench', default_branch: 'main' });
  const paths = Array.from({ length: scale.objects }, (_, i) => pathOf(i));
  await upload(side, 'main', paths);
  await side.call('POST', `${repository}/branches/main/commits`, { message: 'objects' });
  for (const name of ['puts', 'objects', 'merged']) await side.call('POST', `${repository}/branches`, { name, source: 'main' });
  await prepareGateway(side);
}

/** The ends of a clear comparison differ by less. */
const clear = 1.06;

/** Each side in turns, who begins alternates; oftener while the comparison is not clear. */
async function compare(work: Work, sides: readonly Side[], { patience }: Scale): Promise<readonly BenchmarkRow[]> {
  const values = new Map(sides.map(side => [side, { value: [] as number[], tail: [] as number[] }]));
  const [ours, theirs] = [...values.values()];
  if (!ours || !theirs) throw new Error('two sides are compared');
  const isClear = (): boolean => {
    const { low, high } = comparison(work, ours.value, theirs.value);
    return high < clear * low;
  };
  for (let round = 0; round < work.rounds || (round < patience * work.rounds && !isClear()); round++) {
    if (round > 0 && round % (work.roundsPerProcess ?? Infinity) === 0) for (const side of sides) await side.restart();
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const measured = await work.measure(side, round);
      const { value, tail } = typeof measured === 'number' ? { value: measured, tail: 0 } : measured;
      values.get(side)?.value.push(value);
      values.get(side)?.tail.push(tail);
    }
  }
  const rows = [row(work, ours.value, theirs.value)];
  return work.tail === undefined ? rows : [...rows, row({ ...work, what: work.tail, unit: 'ms' }, ours.tail, theirs.tail)];
}

/** The middle of the rounds, and how they compare. */
function row(
  work: Pick<Work, 'what' | 'unit' | 'roundsPerProcess'>,
  allOurs: readonly number[],
  allTheirs: readonly number[],
): BenchmarkRow {
  const { what, unit } = work;
  const [ours, theirs] = [middle(allOurs), middle(allTheirs)];
  const { value, low, high } = comparison(work, allOurs, allTheirs);
  const range = `${low.toFixed(2)} to ${high.toFixed(2)}`;
  process.stderr.write(`${what}: ${ours.toFixed(2)} against ${theirs.toFixed(2)} ${unit}, ${value.toFixed(2)} (${range}) times as good\n`);
  return {
    what,
    value: ours,
    unit,
    ratio: { to: `(${range}) as good as theirs, ${Number(theirs.toPrecision(3)).toLocaleString('en-US')}`, value },
  };
}

async function memory(sides: readonly Side[]): Promise<BenchmarkRow> {
  const [ours = 0, theirs = 0] = await Promise.all(sides.map(side => side.peak()));
  return row({ what: 'peak memory of the server', unit: 'MiB' }, [ours / 2 ** 20], [theirs / 2 ** 20]);
}
