/** Kills a process in a storm of writes: every write acknowledged as durable must be there afterwards. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { absent } from '@srv/kernel';
import { printNow } from '@srv/kernel/testing';
import { openLocalKvStore } from '../src/server/open.js';
import type { KvStore } from '@srv/kernel';

const [, , role, folder = ''] = process.argv;
const open = (path: string): Promise<KvStore> => openLocalKvStore({ path, syncWrites: true, prefetchSize: 256, strict: true });

/** Writes without end; prints `<worker> <count>` once the write of that count is acknowledged. */
async function storm(path: string): Promise<void> {
  const store = await open(path);
  const work = async (worker: string): Promise<void> => {
    for (let count = 1; ; count++) {
      await store.set('set', Buffer.from(`${worker}-${count}`), Buffer.from(String(count)));
      const read = await store.get('counter', Buffer.from(worker));
      assert.ok(await store.setIf('counter', Buffer.from(worker), Buffer.from(String(count)), read?.predicate ?? absent));
      await store.delete('set', Buffer.from(`${worker}-${count - 10}`));
      printNow(`${worker} ${count}\n`);
    }
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(work));
}

if (role === 'storm') await storm(folder);
else {
  test('loses no acknowledged write when the process is killed', async () => {
    const path = await mkdtemp(join(tmpdir(), 'srv-kv-crash-'));
    try {
      for (const lines of [100, 1000]) {
        const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'storm', path], { stdio: ['ignore', 'pipe', 'inherit'] });
        const exited = once(child, 'exit');
        const acknowledged = new Map<string, number>();
        let seen = 0;
        for await (const line of createInterface({ input: child.stdout })) {
          const [worker = '', count = ''] = line.split(' ');
          acknowledged.set(worker, Number(count));
          if (++seen === lines) child.kill('SIGKILL');
        }
        await exited;
        assert.ok(seen >= lines, `the storm ended early, after ${seen} writes`);
        const store = await open(path);
        for (const [worker, count] of acknowledged) {
          const counter = Number((await store.get('counter', Buffer.from(worker)))?.value);
          assert.ok(counter === count || counter === count + 1, `worker ${worker}: acknowledged ${count}, found ${counter}`);
          for (let i = Math.max(1, count - 8); i <= count; i++)
            assert.ok(await store.get('set', Buffer.from(`${worker}-${i}`)), `${worker}-${i} is lost`);
          assert.equal(await store.get('set', Buffer.from(`${worker}-${count - 10}`)), undefined, `${worker}-${count - 10} was deleted`);
        }
        for await (const page of store.scan('set')) for (const { key } of page) await store.delete('set', key);
        for await (const page of store.scan('counter')) for (const { key } of page) await store.delete('counter', key);
        await store.close();
      }
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  });
}
