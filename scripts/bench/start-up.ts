/** How long a person waits for the programs to start. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { Server } from '#programs';
import { median, medianTime, timeOf } from './measure.js';
import type { Run } from './benchmark.js';

export const name = 'start-up';
export const description = 'programs from their start to their end, or until ready; ratio: in comparison with an empty Node program';

export const run: Run = async ({ smoke }) => {
  const runs = smoke ? 1 : 5;
  const home = await mkdtemp(join(tmpdir(), 'srv-bench-'));
  let server = await Server.start(home);
  try {
    await server.run('repo', 'create', 'srv://bench', 'local://bench');
    await server.run('fs', 'upload', 'srv://bench/main/object', '-s', process.execPath);
    const empty = await medianTime(runs, () => spawnSync(process.execPath, ['-e', '0']));
    const help = await medianTime(runs, () => server.run('--help'));
    const stat = await medianTime(runs, () => server.run('fs', 'stat', 'srv://bench/main/object'));
    const readyTimes: number[] = [];
    for (let i = 0; i < runs; i++) {
      await server.stop();
      readyTimes.push(
        await timeOf(async () => {
          server = await Server.start(home);
        }),
      );
    }
    return Object.entries({ 'node -e 0': empty, 'cli --help': help, 'cli fs stat': stat, 'srv run until ready': median(readyTimes) }).map(
      ([what, value]) => ({
        what,
        value,
        unit: 'ms',
        ratio: value / empty,
      }),
    );
  } finally {
    await server.kill();
    await rm(home, { recursive: true, force: true });
  }
};
