/** A process that takes the lock of a folder again and again, and leaves some to be taken over: `lock-contender.js <folder> <process that is gone>`. */
import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { locked } from '../src/cli/sync/lock.js';

const [, , folder = '', gone = ''] = process.argv;
const marker = join(folder, 'inside');
const lockFile = join(folder, '.srv_ref.lock');

for (let taken = 0; taken < 100; ) {
  try {
    await locked(folder, async () => {
      // Fails when another process is inside.
      writeFileSync(marker, '', { flag: 'wx' });
      await turn();
      rmSync(marker);
    });
    taken++;
    if (taken % 3 === 0) writeFileSync(lockFile, JSON.stringify({ pid: Number(gone), host: hostname() }), { flag: 'wx' });
  } catch (error) {
    // Another process has the lock.
    if (!(error instanceof Error) || !error.message.includes(lockFile)) throw error;
  }
}
