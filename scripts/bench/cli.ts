import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Server, cliProgram } from '#programs';
import { middle, timeOf } from './benchmark.js';
import { startOfCli } from './start-up.js';
import type { Readable } from 'node:stream';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const mebibyte = 2 ** 20;
const sizes = {
  full: { folders: 100, filesEach: 100, large: 2 * 1024 * mebibyte, turns: 3, batch: 1000, processes: 50 },
  // Large enough for the thread that hashes.
  smoke: { folders: 2, filesEach: 5, large: 40 * mebibyte, turns: 1, batch: 20, processes: 2 },
};
type Size = typeof sizes.full;

/** Transfers at a time: the default of `cli`. */
const parallelism = 25;

/** One program, from its start to its end. */
interface Ran {
  readonly milliseconds: number;
  /** Bytes. */
  readonly peak: number;
}

interface Programs {
  cli(...args: string[]): Promise<Ran>;
  bare(direction: 'upload' | 'download', prefix: string, folder: string): Promise<Ran>;
  /** Downloads an object by the API's URL; `undefined`: there is no curl. @returns milliseconds. */
  readonly curl: ((path: string, file: string) => Promise<number>) | undefined;
}

export default {
  name: 'cli',
  description: `The start of cli; its transfers, ${parallelism} at a time, against a bare node:http client and curl, which check nothing; many commands in one run`,
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const folder = await mkdtemp(join(tmpdir(), 'srv-bench-'));
    let server: Server | undefined;
    try {
      server = await Server.start(join(folder, 'home'));
      await server.run('repo', 'create', 'srv://bench', 'local://bench');
      const programs = programsFor(server);
      return [
        ...(await measureTree(programs, folder, size)),
        ...(await measureLarge(programs, folder, size)),
        ...(await startOfCli(server, 'srv://bench/main/large/file', size.turns * 5)).rows,
        ...(await measureBatch(programs, folder, size)),
      ];
    } finally {
      await server?.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
} satisfies Benchmark;

function programsFor(server: Server): Programs {
  const credentials = `${server.setting('access_key_id')}:${server.setting('secret_access_key')}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const bareProgram = join(import.meta.dirname, 'cli-bare.js');
  const api = `${server.url}/api/v1`;
  return {
    cli: (...args) => run([cliProgram, ...args], { HOME: server.home, CLI_CONFIG_FILE: join(server.home, 'srv', 'cli.yaml') }),
    bare: (direction, prefix, folder) =>
      run([bareProgram, direction, api, 'bench', prefix, folder, String(parallelism)], { authorization }),
    curl: hasCurl()
      ? (path, file) =>
          timeOf(() => {
            const url = `${api}/repositories/bench/refs/main/objects?path=${encodeURIComponent(path)}`;
            // Credentials by standard input: arguments can be seen by everyone on the machine.
            execFileSync('curl', ['--silent', '--fail', '--config', '-', '--output', file, url], { input: `user = "${credentials}"\n` });
          })
      : undefined,
  };
}

function hasCurl(): boolean {
  return spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** @throws Error with what the program said when it does not succeed. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  let peak = 0;
  const milliseconds = await timeOf(async () => {
    const child = spawn(process.execPath, ['--import', join(import.meta.dirname, 'peak-memory.js'), ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [, , complaints, peaks] = child.stdio as unknown as readonly [null, null, Readable, Readable];
    const [code, complaint, told] = await Promise.all([ended, text(complaints), text(peaks)]);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${complaint}`);
    peak = Number(told);
  });
  return { milliseconds, peak };
}

/** Many small files. */
async function measureTree({ cli, bare }: Programs, folder: string, { folders, filesEach }: Size): Promise<BenchmarkRow[]> {
  const count = folders * filesEach;
  const tree = join(folder, 'tree');
  await writeTree(tree, folders, filesEach);
  const uploads = await between(
    name => bare('upload', `${name}/`, tree),
    name => cli('fs', 'upload', '-r', `srv://bench/main/${name}/`, '-s', tree),
  );
  const downloads = await between(
    name => bare('download', 'ours/', join(folder, name)),
    name => cli('fs', 'download', '-r', 'srv://bench/main/ours/', join(folder, name)),
  );
  const row = (what: string, { ours, theirs }: Compared): BenchmarkRow => ({
    what: `${what} ${count} files`,
    value: Math.round((count / ours.milliseconds) * 1000),
    unit: 'files/s',
    ratio: { to: 'a bare client', value: theirs / ours.milliseconds },
  });
  return [row('upload', uploads), row('download', downloads)];
}

interface Compared {
  readonly ours: Ran;
  /** Milliseconds. */
  readonly theirs: number;
}

/** Ours between two of theirs: other work on the machine then hits both alike. Each is given a name of its own. */
async function between(theirs: (name: string) => Promise<Ran>, ours: (name: string) => Promise<Ran>): Promise<Compared> {
  const before = await theirs('before');
  const measured = await ours('ours');
  const after = await theirs('after');
  return { ours: measured, theirs: (before.milliseconds + after.milliseconds) / 2 };
}

/** Files of 0 to 16 KiB. */
async function writeTree(tree: string, folders: number, filesEach: number): Promise<void> {
  const content = Buffer.alloc(16 * 1024, 'some content\n');
  for (let i = 0; i < folders; i++) {
    const below = join(tree, `folder-${i}`);
    await mkdir(below, { recursive: true });
    for (let j = 0; j < filesEach; j++)
      await writeFile(join(below, `file-${j}`), content.subarray(0, ((i * filesEach + j) * 131) % content.length));
  }
}

/** One file that fits nowhere. */
async function measureLarge({ cli, bare, curl }: Programs, folder: string, { large, turns }: Size): Promise<BenchmarkRow[]> {
  const from = join(folder, 'large', 'file');
  const to = join(folder, 'copies');
  await mkdir(join(folder, 'large'));
  await writeFile(from, 'the rest is a hole');
  await truncate(from, large);
  const bareUpload = await bare('upload', 'bare/', join(folder, 'large'));
  const upload = await cli('fs', 'upload', 'srv://bench/main/large/file', '-s', from);
  const bareDownload = await bare('download', 'bare/', to);
  const download = await cli('fs', 'download', 'srv://bench/main/large/file', join(to, 'file'));
  await checkSize(join(to, 'file'), large);
  const rows = (what: string, ours: Ran, theirs: Ran): BenchmarkRow[] => [
    {
      what: `${what} ${large / mebibyte} MiB`,
      value: Math.round(large / mebibyte / (ours.milliseconds / 1000)),
      unit: 'MiB/s',
      ratio: { to: 'a bare client', value: theirs.milliseconds / ours.milliseconds },
    },
    { what: `${what} ${large / mebibyte} MiB, peak memory`, value: Math.round(ours.peak / mebibyte), unit: 'MiB' },
  ];
  const found = [...rows('upload', upload, bareUpload), ...rows('download', download, bareDownload)];
  if (!curl) {
    process.stderr.write('curl is not installed: downloads are not compared with it\n');
    return found;
  }
  const [ours, unverified, theirs]: [number[], number[], number[]] = [[], [], []];
  // Neither finds a file: curl would overwrite it, where ours leaves it alone until the new one is complete.
  const toNew = async (measure: (target: string) => Promise<number>): Promise<number> => {
    const target = join(to, 'new');
    await rm(target, { force: true });
    const milliseconds = await measure(target);
    await checkSize(target, large);
    return milliseconds;
  };
  for (let i = 0; i < turns; i++) {
    theirs.push(await toNew(target => curl('large/file', target)));
    for (const [times, flags] of [
      [ours, []],
      [unverified, ['--no-verify']],
    ] as const)
      times.push(await toNew(async target => (await cli('fs', 'download', 'srv://bench/main/large/file', target, ...flags)).milliseconds));
  }
  const row = (what: string, times: readonly number[]): BenchmarkRow => ({
    what: `download ${large / mebibyte} MiB${what}, in turns with curl`,
    value: Math.round(large / mebibyte / (middle(times) / 1000)),
    unit: 'MiB/s',
    ratio: { to: 'curl', value: middle(theirs) / middle(times) },
  });
  return [...found, row('', ours), row(' with --no-verify', unverified)];
}

async function checkSize(file: string, expected: number): Promise<void> {
  const { size } = await stat(file);
  if (size !== expected) throw new Error(`${file} has ${size} bytes instead of ${expected}`);
}

/** One run of many commands against a process for each: of these a few are run, and the rest is reckoned. */
async function measureBatch({ cli }: Programs, folder: string, { batch, processes }: Size): Promise<BenchmarkRow[]> {
  const object = 'srv://bench/main/large/file';
  const script = join(folder, 'commands');
  const handle = await open(script, 'w');
  for (let i = 0; i < batch; i++) await handle.write(`fs stat ${object}\n`);
  await handle.close();
  const alone = await timeOf(async () => {
    for (let i = 0; i < processes; i++) await cli('fs', 'stat', object);
  });
  const { milliseconds } = await cli('run', script);
  const calls = join(folder, 'calls');
  const call = `await api.statObject({ repository: 'bench', ref: 'main', path: 'large/file' })`;
  await writeFile(calls, `const api = await client()\nfor (let i = 0; i < ${batch}; i++) ${call}\n`);
  const { milliseconds: byClient } = await cli('run', calls);
  return [
    {
      what: `${batch} commands by cli run`,
      value: Math.round(milliseconds),
      unit: 'ms',
      ratio: { to: `faster than ${batch} processes, reckoned from ${processes}`, value: ((alone / processes) * batch) / milliseconds },
    },
    {
      what: `${batch} lines by cli run, processor and waiting time each`,
      value: Math.round((milliseconds / batch) * 100) / 100,
      unit: 'ms',
      ratio: { to: `the time of ${batch} calls of the client in one script`, value: milliseconds / byClient },
    },
  ];
}
