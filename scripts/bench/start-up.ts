/** How long a person waits for the programs. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server } from '#programs';
import { middle, timeOf } from './benchmark.js';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

export default {
  name: 'start-up',
  description: 'The programs from their start to their end, the server until it is ready',
  async run({ smoke }) {
    const repeat = smoke ? 1 : 5;
    const home = await mkdtemp(join(tmpdir(), 'srv-bench-'));
    let server = await Server.start(home);
    try {
      await server.run('repo', 'create', 'srv://bench', 'local://bench');
      await server.run('fs', 'upload', 'srv://bench/main/object', '-s', process.execPath);
      const { empty, rows } = await startOfCli(server, 'srv://bench/main/object', repeat);
      const starts: number[] = [];
      for (let i = 0; i < repeat; i++) {
        await server.stop();
        starts.push(
          await timeOf(async () => {
            server = await Server.start(home);
          }),
        );
      }
      return [...rows, against(empty, 'srv run until ready', middle(starts))];
    } finally {
      await server.kill();
      await rm(home, { recursive: true, force: true });
    }
  },
} satisfies Benchmark;

/**
 * Commands of `cli` from their start to their end, each next to an empty Node program.
 * @param object that the server has.
 * @returns with the milliseconds of the empty program.
 */
export async function startOfCli(
  server: Server,
  object: string,
  repeat: number,
): Promise<{ readonly empty: number; readonly rows: readonly BenchmarkRow[] }> {
  const commands = [['--help'], ['fs', 'stat', object], ['pr', 'list', 'srv://bench']];
  const empties: number[] = [];
  const times = commands.map((): number[] => []);
  // In turns: other work on the machine then hits all alike.
  for (let i = 0; i < repeat; i++) {
    empties.push(await timeOf(() => spawnSync(process.execPath, ['-e', '0'])));
    for (const [j, command] of commands.entries()) times[j]?.push(await timeOf(() => server.run(...command)));
  }
  const empty = middle(empties);
  return { empty, rows: times.map((found, j) => against(empty, `cli ${commands[j]?.slice(0, 2).join(' ')}`, middle(found))) };
}

function against(empty: number, what: string, value: number): BenchmarkRow {
  return { what, value, unit: 'ms', ratio: { to: 'an empty Node program', value: value / empty } };
}
