/** `srv run --local-settings --workers 2` as a person runs it, and its processes. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/lib-engine-operations/client';
import { CliHome, launchSrv, untilUp } from './programs.js';
import type { Client } from '@srv/lib-engine-operations/client';
import type { RunningProcess } from './processes.js';

export class EmbeddedWorkers extends CliHome {
  readonly url: string;
  readonly process: RunningProcess;

  private constructor(home: string, url: string, process: RunningProcess) {
    super(home);
    this.url = url;
    this.process = process;
  }

  /** Returns when both serve. */
  static async start(home: string, env: Readonly<Record<string, string>> = {}): Promise<EmbeddedWorkers> {
    const process = launchSrv(home, ['run', '--local-settings', '--workers', '2'], { SRV_LISTEN_ADDRESS: '127.0.0.1:0', ...env });
    return new EmbeddedWorkers(home, await untilUp(process), process);
  }

  /** Without retries, so that an answer is the server's. */
  client(): Client {
    return createClient({
      endpointUrl: this.url,
      accessKeyId: this.setting('access_key_id'),
      secretAccessKey: this.setting('secret_access_key'),
      retries: { enabled: false },
    });
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
