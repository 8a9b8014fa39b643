import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';
import type { TestContext } from 'node:test';

const pointer = { namespace: 'local://suite', identifier: 'folder/object', identifierType: identifierType.relative };

async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'put-file-'));
  const [path, base] = [join(folder, 'file'), join(folder, 'base')];
  const store = await openLocalBlockStore({ path: base });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const put = async (size?: number): Promise<Date | undefined> =>
    (await store.putFile?.(pointer, path, size === undefined ? {} : { size }))?.lastModified;
  const content = async (): Promise<Buffer> => buffer(await store.get(pointer));
  return { store, path, base, put, content };
}

test('puts the content of a file, over an older object too', async t => {
  const { store, path, put, content } = await open(t);
  for (const bytes of [randomBytes(3_000_000), randomBytes(10), Buffer.alloc(0)]) {
    await writeFile(path, bytes);
    const lastModified = await put(bytes.length);
    assert.ok(Math.abs(Date.now() - (lastModified?.getTime() ?? 0)) < 300_000, 'lastModified is about now');
    assert.ok((await content()).equals(bytes));
    assert.ok((await readFile(path)).equals(bytes), 'the file stays');
    const { etag, size } = await store.properties(pointer);
    assert.deepEqual([etag, size], [createHash('md5').update(bytes).digest('hex'), bytes.length]);
  }
});

test('the object does not change with the file', async t => {
  const { path, put, content } = await open(t);
  await writeFile(path, 'before');
  await put();
  await writeFile(path, 'after');
  assert.equal((await content()).toString(), 'before');
});

test('a file that is missing or not of the announced size changes nothing and leaves nothing', async t => {
  const { path, base, put, content } = await open(t);
  await writeFile(path, 'content');
  await put(7);
  await rejectsWith(() => put(6), 'invalid');
  await rm(path);
  await assert.rejects(put());
  assert.equal((await content()).toString(), 'content');
  const [temporary = ''] = await readdir(join(base, '.srv-tmp'));
  assert.deepEqual(await readdir(join(base, '.srv-tmp', temporary)), []);
});
