/** Kills a process in a storm of writes: acknowledged objects are there and whole, and nothing unfinished stays. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { collect, printNow } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';
import type { ObjectPointer } from '@srv/lib-stores/block';

const [, , role, folder = '', mode] = process.argv;
const chunks = 8;
const pointer = (identifier: string): ObjectPointer => ({ namespace: 'local://repo', identifier, identifierType: identifierType.relative });

/** An object says in every line which write made it. */
const lines = (count: number): string => `${count}\n`.repeat(2000);

async function storm(path: string): Promise<void> {
  const store = await openLocalBlockStore({ path, syncs: mode === 'synced' });
  const work = async (worker: string): Promise<void> => {
    for (let count = 1; ; count++) {
      const body = Readable.from(
        Array.from({ length: chunks }, () => Buffer.from(lines(count))),
        { objectMode: false },
      );
      await store.put(pointer(`data/${worker}/${count}`), body);
      await store.put(pointer(`overwritten//${worker}`), Buffer.from(lines(count)));
      await store.put(pointer(`overwritten/${worker}`), Buffer.from(lines(count)));
      printNow(`${worker} ${count}\n`);
    }
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(work));
}

if (role === 'storm') await storm(folder);
else {
  for (const kind of ['synced', 'unsynced']) {
    test(`loses no acknowledged object when the process is killed: ${kind}`, async () => {
      const path = await mkdtemp(join(tmpdir(), 'srv-block-crash-'));
      try {
        const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'storm', path, kind], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exited = once(child, 'exit');
        const acknowledged = new Map<string, number>();
        let seen = 0;
        for await (const line of createInterface({ input: child.stdout })) {
          const [worker = '', count = ''] = line.split(' ');
          acknowledged.set(worker, Number(count));
          if (++seen === 200) child.kill('SIGKILL');
        }
        await exited;
        assert.ok(seen >= 200, `the storm ended early, after ${seen} writes`);
        const store = await openLocalBlockStore({ path });
        const read = async (key: string): Promise<string> => (await buffer(await store.get(pointer(key)))).toString();
        for (const [worker, count] of acknowledged) {
          for (let i = 1; i <= count; i++) assert.equal(await read(`data/${worker}/${i}`), lines(i).repeat(chunks), `data/${worker}/${i}`);
          for (const key of [`overwritten/${worker}`, `overwritten//${worker}`])
            assert.ok([lines(count), lines(count + 1)].includes(await read(key)), key);
        }
        for (const { address, size } of await collect(store.walk(store.resolve(pointer('data/'))))) {
          assert.equal(size, lines(Number(address.split('/').at(-1))).length * chunks, `${address} is whole`);
        }
        await store.close();
        assert.deepEqual(await readdir(join(path, '.srv-tmp')), []);
      } finally {
        await rm(path, { recursive: true, force: true });
      }
    });
  }
}
