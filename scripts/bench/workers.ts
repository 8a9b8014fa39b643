/** What `srv run --workers` brings on embedded storage: the same requests to one process, one worker and two, in turns. */
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.js';
import { applyLoad, requestText } from './api-load.js';
import { middle } from './benchmark.js';
import { upload } from './versus/reads-and-writes.js';
import { Side } from './versus/side.js';
import { connections, pathOf, repository } from './versus/work.js';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const sizes = {
  // Many short rounds: other work on the machine then hits all alike.
  full: { objects: 10_000, duration: 800, warmUp: 200, rounds: 15 },
  smoke: { objects: 200, duration: 100, warmUp: 20, rounds: 1 },
};
type Size = typeof sizes.full;

/** What is compared; the first is the measure of the others. */
const modes: Readonly<Record<string, readonly string[]>> = {
  'one process': [],
  '--workers 1': ['--workers', '1'],
  '--workers 2': ['--workers', '2'],
};

interface Measured {
  readonly rate: number;
  /** Microseconds of processor time per request. */
  readonly server: number;
  readonly load: number;
}

export default {
  name: 'workers',
  description: 'The HTTP API on embedded storage with 64 connections, by one process, one worker and two, in turns',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const folder = await mkdtemp(join(tmpdir(), 'bench-workers-'));
    const sides: Side[] = [];
    try {
      for (const [name, args] of Object.entries(modes)) sides.push(await startSide(name, args, folder, size));
      const rows: BenchmarkRow[] = [];
      for (const [what, request] of Object.entries(requests(size))) rows.push(...(await compare(what, request, sides, size)));
      return rows;
    } finally {
      for (const side of sides) await side.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
} satisfies Benchmark;

async function startSide(name: string, args: readonly string[], folder: string, { objects }: Size): Promise<Side> {
  const home = join(folder, name.replaceAll(' ', '-'));
  const env = { SRV_DATABASE_TYPE: 'local', SRV_DATABASE_LOCAL_PATH: join(home, 'records') };
  const side = await Side.start({ name, checkout: repositoryRoot, home, source: folder, args, env });
  await side.call('POST', '/repositories', { name: 'bench', storage_namespace: 'local://bench', default_branch: 'main' });
  const paths = Array.from({ length: objects }, (_, i) => pathOf(i));
  await upload(side, 'main', paths);
  await side.call('POST', `${repository}/branches/main/commits`, { message: 'objects' });
  await side.call('POST', `${repository}/branches`, { name: 'puts', source: 'main' });
  return side;
}

function requests({ objects: count }: Size): Readonly<Record<string, () => Buffer>> {
  const objects = `/api/v1${repository}/refs/main/objects`;
  const kibibyte = Buffer.alloc(1024, 'x');
  const any = (): string => pathOf(randomInt(count));
  let made = 0;
  return {
    stat: () => requestText('GET', `${objects}/stat?path=${any()}`),
    'get 1 KiB': () => requestText('GET', `${objects}?path=${any()}`),
    'list 100 after a random name': () => requestText('GET', `${objects}/ls?amount=100&after=${any()}`),
    'put 1 KiB': () => requestText('POST', `/api/v1${repository}/branches/puts/objects?path=put/${made++}`, kibibyte),
  };
}

async function compare(what: string, request: () => Buffer, sides: readonly Side[], size: Size): Promise<readonly BenchmarkRow[]> {
  const values = new Map(sides.map(side => [side, [] as Measured[]]));
  for (let round = 0; round < size.rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) values.get(side)?.push(await measure(side, request, size));
  }
  const [alone = []] = values.values();
  return [...values].flatMap(([{ name }, measured], i) => {
    const of = (part: keyof Measured): number => Math.round(middle(measured.map(each => each[part])));
    const ratios = measured.map(({ rate }, round) => rate / (alone[round]?.rate ?? Number.NaN));
    const ratio = i === 0 ? {} : { ratio: { to: 'one process, median of the rounds', value: middle(ratios) } };
    return [
      { what: `${what}, ${name}`, value: of('rate'), unit: 'requests/s', ...ratio },
      { what: `processor time of it: server; load ${of('load')} µs`, value: of('server'), unit: 'µs' },
    ];
  });
}

async function measure(side: Side, request: () => Buffer, { duration, warmUp }: Size): Promise<Measured> {
  const load = { port: side.port, request, connections };
  await applyLoad({ ...load, duration: warmUp });
  const [server, own] = [await processorTime(await side.pids()), process.cpuUsage()];
  const { rate, latencies } = await applyLoad({ ...load, duration });
  const used = process.cpuUsage(own);
  const served = (await processorTime(await side.pids())) - server;
  return { rate, server: served / latencies.length, load: (used.user + used.system) / latencies.length };
}

/** Microseconds that these processes have used; the clock of the system ticks a hundred times a second. */
async function processorTime(pids: readonly number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [user, system] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    ticks += Number(user ?? 0) + Number(system ?? 0);
  }
  return ticks * 10_000;
}
