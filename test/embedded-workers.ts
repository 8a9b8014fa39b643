/** `srv run --local-settings --workers 2` as a person runs it, and its processes. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServedHome, launchSrv, untilUp } from './programs.js';

export class EmbeddedWorkers extends ServedHome {
  /** Returns when both serve. */
  static async start(home: string, env: Readonly<Record<string, string>> = {}): Promise<EmbeddedWorkers> {
    const process = launchSrv(home, ['run', '--local-settings', '--workers', '2'], { SRV_LISTEN_ADDRESS: '127.0.0.1:0', ...env });
    return new EmbeddedWorkers(home, await untilUp(process), process);
  }

  /** How often a worker has said that it listens. */
  get starts(): number {
    return [...this.process.stdout.matchAll(/\blistening\b/g)].length;
  }

  /** Returns when workers have begun to serve so often. */
  async untilStarts(count: number): Promise<void> {
    while (this.starts < count) {
      assert.equal(this.process.child.exitCode, null, this.process.stderr);
      await sleep(20);
    }
  }

  /** Process numbers of the workers: of the one that has the database open, and of the other. */
  pids(): { readonly owner: number; readonly other: number } {
    const { pid = 0 } = this.process.child;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    const { ino } = statSync(join(this.home, 'srv', 'metadata', 'LOCK'));
    const locks = [...readFileSync('/proc/locks', 'utf8').matchAll(/ (\d+) [0-9a-f:]+:(\d+) /g)];
    const owner = Number(locks.find(([, , inode]) => Number(inode) === ino)?.[1]);
    const other = workers.find(worker => worker !== owner);
    assert.ok(workers.length === 2 && workers.includes(owner) && other !== undefined, `owner ${owner} of ${workers.join()}`);
    return { owner, other };
  }
}
