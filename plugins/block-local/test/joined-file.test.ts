/** Files copied one after the other into one. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GrowingFile, joinFiles } from '../src/server/files/joined-file.js';
import type { FileHandle } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import type { FileSource } from '../src/server/files/joined-file.js';

const mebibyte = 1 << 20;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'joined-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes the bodies to files, and opens one after the other; each has to be closed before the next is opened. */
async function* sourcesOf(t: TestContext, bodies: readonly (Buffer | Error)[]): AsyncGenerator<FileSource> {
  const folder = folderOf(t);
  let before: FileHandle | undefined;
  for (const [i, body] of bodies.entries()) {
    if (before) assert.equal(before.fd, -1, 'the file before is closed');
    if (body instanceof Error) throw body;
    writeFileSync(join(folder, String(i)), body);
    before = await open(join(folder, String(i)), 'r');
    yield { file: before, start: 0, length: body.length };
  }
}

test('the bytes of all, in order, more than are synced at a time', async t => {
  const folder = folderOf(t);
  const bodies = [0, 1, mebibyte, 3 * mebibyte + 5, 40 * mebibyte, 7].map((length, i) => Buffer.alloc(length, `${i} content of a part, `));
  const all = Buffer.concat(bodies);
  const { path, state } = await joinFiles({ path: folder, syncs: true }, sourcesOf(t, bodies), all.length);
  assert.ok(readFileSync(path).equals(all));
  assert.equal(state.size, BigInt(all.length));
});

test('the end of a file does not free the buffer that is being written', async t => {
  const path = join(folderOf(t), 'slow');
  const file = await open(path, 'wx');
  const write = file.writev.bind(file);
  t.mock.method(file, 'writev', async (buffers: readonly Buffer[], position: number) => {
    await sleep(20);
    return write(buffers, position);
  });
  const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(1000 + i, `part ${i}`));
  const target = new GrowingFile(file, true);
  for await (const source of sourcesOf(t, bodies)) {
    await target.append(source);
    await source.file.close();
  }
  await target.finish();
  await file.close();
  assert.ok(readFileSync(path).equals(Buffer.concat(bodies)));
});

test('nothing is left when a file cannot be opened, or when they have other bytes than expected', async t => {
  const folder = folderOf(t);
  const bodies = [Buffer.alloc(2 * mebibyte), Buffer.alloc(5)];
  await assert.rejects(joinFiles({ path: folder, syncs: true }, sourcesOf(t, [...bodies, new Error('gone')]), 2 * mebibyte + 5), /gone/);
  for (const size of [2 * mebibyte + 4, 2 * mebibyte + 6])
    await assert.rejects(joinFiles({ path: folder, syncs: true }, sourcesOf(t, bodies), size), /were announced/);
  assert.deepEqual(readdirSync(folder), []);
});
