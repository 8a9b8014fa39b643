/** How long a person waits for the programs. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server } from '#programs';
import { median, middle, timeOf } from './benchmark.js';
import type { Benchmark } from './benchmark.js';

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
      const empty = await median(repeat, () => spawnSync(process.execPath, ['-e', '0']));
      const help = await median(repeat, () => server.run('--help'));
      const stat = await median(repeat, () => server.run('fs', 'stat', 'srv://bench/main/object'));
      const starts: number[] = [];
      for (let i = 0; i < repeat; i++) {
        await server.stop();
        starts.push(
          await timeOf(async () => {
            server = await Server.start(home);
          }),
        );
      }
      const row = (what: string, value: number) => ({
        what,
        value,
        unit: 'ms',
        ratio: { to: 'an empty Node program', value: value / empty },
      });
      return [row('cli --help', help), row('cli fs stat', stat), row('srv run until ready', middle(starts))];
    } finally {
      await server.kill();
      await rm(home, { recursive: true, force: true });
    }
  },
} satisfies Benchmark;
