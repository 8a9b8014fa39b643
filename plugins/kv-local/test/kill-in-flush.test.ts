/**
 * Kills a process while LevelDB switches logs, writes tables, compacts, opens and closes: none of that may look like damage,
 * and no acknowledged write may be missing.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { printNow, seededRandom } from '@srv/kernel/testing';
import { ClassicLevel as Level } from 'classic-level';
import { openLocalKvStore } from '../src/server/open.js';
import { recordKey } from '../src/server/record-key.js';

const [, , role, folder = ''] = process.argv;
const keys = 100;
const keyOf = (write: number): Buffer => Buffer.from(`key-${write % keys}`);

/** Writes its number to one key after the other, and prints the number of every acknowledged write. */
async function writeWithoutEnd(path: string): Promise<void> {
  // A memtable is full after some 60 writes.
  const db = new Level<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer', writeBufferSize: 64 << 10 });
  for (let write = 1; ; write++) {
    await db.put(recordKey('p', keyOf(write)), Buffer.from(String(write).padStart(1000)));
    printNow(`${write}\n`);
    if (write % 150 !== 0) continue;
    await db.close();
    await db.open();
  }
}

if (role === 'write') await writeWithoutEnd(folder);
else {
  const random = seededRandom();
  test(`a kill during a flush, a compaction or an open is not damage; SRV_TEST_SEED=${random.seed}`, async () => {
    const work = await mkdtemp(join(tmpdir(), 'srv-kv-kill-in-flush-'));
    try {
      for (let round = 0; round < 4; round++) {
        const path = join(work, String(round));
        const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'write', path], { stdio: ['ignore', 'pipe', 'inherit'] });
        const exited = once(child, 'exit');
        const end = 100 + random.below(400);
        let acknowledged = 0;
        for await (const line of createInterface({ input: child.stdout })) {
          acknowledged = Number(line);
          if (acknowledged === end) child.kill('SIGKILL');
        }
        await exited;
        assert.ok(acknowledged >= end, `the process ended early, after ${acknowledged} writes`);
        const store = await openLocalKvStore({ path, syncWrites: true, prefetchSize: 256, strict: true });
        for (let write = acknowledged; write > acknowledged - keys; write--) {
          const found = Number((await store.get('p', keyOf(write)))?.value);
          assert.ok(found === write || found === write + keys, `write ${write} is lost, found ${found}`);
        }
        await store.close();
      }
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}
