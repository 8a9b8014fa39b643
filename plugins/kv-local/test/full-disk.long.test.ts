import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

/** Bytes a file may have: LevelDB's log exceeds them. */
const limit = 1 << 20;

test('an embedded database whose files may not grow refuses writes, and works again, complete, when they may', {
  skip: !hasPrlimit() && 'needs prlimit',
}, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'srv-kv-full-'));
  const module = new URL('../src/server/open.js', import.meta.url).href;
  // Writes until one fails, then until they succeed again, and prints which keys were acknowledged.
  const script = `
      import { setTimeout as sleep } from 'node:timers/promises';
      const { openLocalKvStore } = await import(${JSON.stringify(module)});
      const open = () => openLocalKvStore({ path: ${JSON.stringify(join(folder, 'db'))}, syncWrites: true, prefetchSize: 256 });
      let store = await open();
      const acknowledged = [];
      let failures = 0;
      for (let i = 0, later = 0; later < 500; i++) {
        const key = String(i).padStart(6, '0');
        try {
          await store.set('p', Buffer.from(key), Buffer.alloc(10_000, key));
          acknowledged.push(key);
          if (failures > 0) later++;
        } catch (error) {
          if (failures++ === 0) console.log('failed', error.code, store.problem);
          if ((await store.get('p', Buffer.from('000000')))?.value.length !== 10_000) throw new Error('a read fails meanwhile');
          await sleep(20);
        }
      }
      for (let round = 0; round < 2; round++) {
        for (const key of acknowledged) {
          const found = await store.get('p', Buffer.from(key));
          if (!found?.value.equals(Buffer.alloc(10_000, key))) throw new Error('lost ' + key);
        }
        await store.close();
        store = await open();
      }
      await store.close();
      console.log('complete', acknowledged.length, failures);`;
  const command = `trap '' XFSZ; ulimit -S -f ${limit / 512}; exec "$0" --input-type=module -e "$1"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  assert.match(String(first.value), /^failed unavailable IO error: .*File too large/);
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
  const second = await lines.next();
  assert.match(String(second.value), /^complete [1-9]\d+ [1-9]\d*$/);
  assert.deepEqual(await exited, [0, null]);
});

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version']);
    return true;
  } catch {
    return false;
  }
}
