/** Kills a process in a storm of parts: acknowledged parts are there after a restart, and make the object they were sent for. */
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
import { printNow } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

const [, , role, folder = ''] = process.argv;
const partsOfUpload = 6;
const pointer = (identifier: string): ObjectPointer => ({ namespace: 'local://repo', identifier, identifierType: identifierType.relative });

/** A part says in every line which it is; the last of an upload is shorter. */
const bytesOf = (upload: string, part: number): Buffer => Buffer.from(`${upload} ${part}\n`.repeat(part === partsOfUpload ? 500 : 8000));

async function send(store: BlockStore, upload: string, id: string, part: number): Promise<string> {
  const bytes = bytesOf(upload, part);
  const body = Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)], { objectMode: false });
  const { etag } = await store.uploadPart(pointer(upload), id, part, body, { size: bytes.length });
  return etag;
}

async function storm(path: string): Promise<void> {
  const store = await openLocalBlockStore({ path });
  const work = async (worker: string): Promise<void> => {
    for (let count = 1; ; count++) {
      const upload = `${worker}${String(count).padStart(4, '0')}`;
      const { uploadId } = await store.createMultipart(pointer(upload));
      printNow(`begun ${upload} ${uploadId}\n`);
      const etags = await Promise.all(
        Array.from({ length: partsOfUpload }, async (_, i) => {
          const etag = await send(store, upload, uploadId, i + 1);
          printNow(`part ${upload} ${i + 1}\n`);
          return etag;
        }),
      );
      await store.completeMultipart(
        pointer(upload),
        uploadId,
        etags.map((etag, i) => ({ partNumber: i + 1, etag })),
      );
      printNow(`completed ${upload} ${uploadId}\n`);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
}

if (role === 'storm') await storm(folder);
else {
  test('loses no acknowledged part when the process is killed, and completes the uploads afterwards', async () => {
    const path = await mkdtemp(join(tmpdir(), 'srv-upload-crash-'));
    try {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'storm', path], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      const begun = new Map<string, { readonly id: string; readonly parts: Set<number>; completed: boolean }>();
      let seen = 0;
      const limit = 150 + (process.pid % 40);
      for await (const line of createInterface({ input: child.stdout })) {
        const [kind, upload = '', value = ''] = line.split(' ');
        if (kind === 'begun') begun.set(upload, { id: value, parts: new Set(), completed: false });
        const known = begun.get(upload) ?? assert.fail(line);
        if (kind === 'part') known.parts.add(Number(value));
        if (kind === 'completed') known.completed = true;
        if (++seen === limit) child.kill('SIGKILL');
      }
      await exited;
      assert.ok(seen >= limit, `the storm ended early, after ${seen} lines`);
      const store = await openLocalBlockStore({ path });
      let resumed = 0;
      for (const [upload, { id, parts, completed }] of begun) {
        const whole = Buffer.concat(Array.from({ length: partsOfUpload }, (_, i) => bytesOf(upload, i + 1)));
        const isThere = await store.exists(pointer(upload));
        if (completed) assert.ok(isThere, `${upload} is there`);
        if (!isThere) {
          const { parts: listed } = await store.listParts(pointer(upload), id);
          const found = new Set(listed.map(({ partNumber }) => partNumber));
          for (const part of parts) assert.ok(found.has(part), `${upload} has its part ${part}`);
          for (let part = 1; part <= partsOfUpload; part++) if (!found.has(part)) await send(store, upload, id, part);
          const { parts: all } = await store.listParts(pointer(upload), id);
          await store.completeMultipart(pointer(upload), id, all);
          resumed++;
        }
        assert.ok((await buffer(await store.get(pointer(upload)))).equals(whole), upload);
      }
      assert.ok(resumed <= 3);
      await store.close();
      assert.deepEqual(await readdir(join(path, '.srv-tmp')), []);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  });
}
