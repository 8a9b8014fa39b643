/** Block drivers: one large object up and down, each in a process of its own whose memory is watched. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchmarkRow } from './benchmark.js';
import { startServer } from './storage-servers.js';
import type { Task, Transferred } from './storage-transfer.js';

/** Servers to try for each driver, the first one there is. */
const servers: readonly { readonly block: Task['block']; readonly names: readonly string[] }[] = [
  { block: 's3', names: ['versitygw', 'gateway'] },
  { block: 'azure', names: ['azurite'] },
  { block: 'gs', names: ['fake-gcs-server', 'gs'] },
];

const mebibyte = 2 ** 20;

export async function blockRows(smoke: boolean): Promise<BenchmarkRow[]> {
  const size = (smoke ? 8 : 1024) * mebibyte;
  const rows: BenchmarkRow[] = [];
  for (const { block, names } of servers) {
    const found = await firstOf(names);
    if (!found) continue;
    const { name, server } = found;
    try {
      const task = { block, env: server.env, namespace: server.namespace, size };
      for (const direction of ['up', 'down'] as const) {
        const bare = await transfer({ ...task, direction, side: 'bare' });
        const own = await transfer({ ...task, direction, side: 'driver' });
        const what = `${block} (${name}): ${direction === 'up' ? 'upload' : 'download'} ${size / mebibyte} MiB`;
        rows.push(
          {
            what,
            value: Math.round(size / mebibyte / (own.milliseconds / 1000)),
            unit: 'MiB/s',
            ratio: { to: 'its client alone', value: bare.milliseconds / own.milliseconds },
          },
          { what: `${what}, most memory`, value: own.peak, unit: 'MiB', ratio: { to: 'its client alone', value: own.peak / bare.peak } },
        );
      }
    } finally {
      await server.close();
    }
  }
  return rows;
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
