import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Drafts } from '../src/server/drafts.js';
import { DurableFolders } from '../src/server/files/durable-folders.js';
import { Roots } from '../src/server/files/roots.js';

test('beyond maxStrides: the size of parts is read again', async t => {
  const path = await mkdtemp(join(tmpdir(), 'srv-drafts-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  const roots = new Roots({ path, real: path }, []);
  await mkdir(join(path, 'temporary'));
  const drafts = new Drafts({
    folder: path,
    temporary: { path: join(path, 'temporary'), syncs: true },
    folders: new DurableFolders(roots),
  });
  const part = (id: number, number: number, size: number) =>
    drafts.write(String(id), 'local://repo/a', number, Buffer.alloc(size), { size });
  for (let id = 0; id <= 1000; id++) {
    await mkdir(join(path, String(id)));
    await drafts.begin(join(path, String(id)));
    await part(id, 1, 10);
  }
  assert.equal((await part(0, 2, 4))?.start, 10);
  assert.equal(await part(0, 3, 11), undefined);
  assert.equal(await readFile(join(path, '0', 'stride'), 'utf8'), '10');
});
