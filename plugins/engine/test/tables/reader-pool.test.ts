import assert from 'node:assert/strict';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ReaderPool } from '../../src/tables/cache/reader-pool.js';
import { writeAll } from './table-writing.js';

/** Files below `folder` that this process has open. */
async function openIn(folder: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(descriptors.map(descriptor => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')));
  return paths.filter(path => path.startsWith(folder)).length;
}

test('beyond openReaders: a reader that is lent is open, however many others are opened and given back at the same time', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'readers-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const ids = Array.from({ length: 40 }, (_, i) => `t${i}`);
  for (const id of ids) await writeFile(join(folder, id), writeAll([[Buffer.from(id), Buffer.from('v')]], {}).bytes);
  const pool = new ReaderPool({ path: async (_, id) => join(folder, id), discard: async () => {} }, { limit: 1 });
  t.after(() => pool.close());
  for (let round = 0; round < 20; round++)
    await Promise.all(
      ids.map(async id => {
        const { reader, release } = await pool.acquire('n', id);
        try {
          await Promise.resolve();
          assert.equal(reader.get(Buffer.from(id))?.toString(), 'v');
        } finally {
          release();
        }
      }),
    );
  if (process.platform === 'linux') assert.equal(await openIn(folder), 1, 'files that stay open');
});
