/** Block drivers: one large object up and down, each in a process of its own whose memory is watched. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { middle } from './benchmark.js';
import { startServer } from './storage-servers.js';
import type { BenchmarkRow } from './benchmark.js';
import type { Task } from './storage-bare-block.js';
import type { Transferred } from './storage-transfer.js';

interface Subject {
  readonly block: Task['block'];
  /** Servers to try, the first one there is. */
  readonly names: readonly string[];
  /** Transfers of each side, of which the middle one counts. */
  readonly repeat: number;
}

const subjects: readonly Subject[] = [
  { block: 's3', names: ['versitygw', 'gateway'], repeat: 3 },
  { block: 'azure', names: ['azurite'], repeat: 3 },
  // Copies all it has with every block: large uploads in blocks take minutes.
  { block: 'gs', names: ['fake-gcs-server'], repeat: 1 },
  { block: 'gs', names: ['gs'], repeat: 3 },
];

const mebibyte = 2 ** 20;

export async function blockRows(smoke: boolean): Promise<BenchmarkRow[]> {
  const size = (smoke ? 8 : 1024) * mebibyte;
  const rows: BenchmarkRow[] = [];
  for (const { block, names, repeat } of subjects) {
    const found = await firstOf(names);
    if (!found) continue;
    const { name, server } = found;
    try {
      const task = { block, env: server.env, namespace: server.namespace, size };
      for (const direction of ['up', 'down'] as const) {
        const what = `${block} (${name}): ${direction === 'up' ? 'upload' : 'download'} ${size / mebibyte} MiB`;
        rows.push(...(await compare(what, { ...task, direction }, smoke ? 1 : repeat)));
      }
    } finally {
      await server.close();
    }
  }
  return rows;
}

async function compare(what: string, task: Omit<Task, 'side'>, repeat: number): Promise<BenchmarkRow[]> {
  const [bare, own]: [Transferred[], Transferred[]] = [[], []];
  // In turns, so that other work on the machine hits both alike.
  for (let round = 0; round < repeat; round++) {
    bare.push(await transfer({ ...task, side: 'bare' }));
    own.push(await transfer({ ...task, side: 'driver' }));
  }
  const took = (list: readonly Transferred[]): number => middle(list.map(({ milliseconds }) => milliseconds));
  const peak = (list: readonly Transferred[]): number => Math.max(...list.map(transferred => transferred.peak));
  const to = 'its client alone';
  return [
    { what, value: Math.round((task.size / mebibyte / took(own)) * 1000), unit: 'MiB/s', ratio: { to, value: took(bare) / took(own) } },
    { what: `${what}, most memory`, value: peak(own), unit: 'MiB', ratio: { to, value: peak(own) / peak(bare) } },
  ];
}

async function firstOf(names: readonly string[]) {
  for (const name of names) {
    const server = await startServer(name);
    if (server) return { name, server };
  }
  return undefined;
}

async function transfer(task: Task): Promise<Transferred> {
  const child = fork(new URL('./storage-transfer.js', import.meta.url), [JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  if (typeof told !== 'object' || told === null) throw new Error(`${task.block}: the ${task.side} failed to go ${task.direction}`);
  return told as Transferred;
}
