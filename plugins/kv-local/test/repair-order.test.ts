/** Repaired tables lose their order of age: the number of a file says nothing about it once it has been compacted. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { collect } from '@srv/kernel/testing';
import { openLocalKvStore } from '../src/server/open.js';
import { prepareRepair } from '../src/server/repair.js';
import type { KvStore } from '@srv/kernel';

const key = (text: string): Buffer => Buffer.from(text);

test('after a repair lookups and scans find the newest values, whatever the tables are called', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-kv-repair-order-'));
  const open = (): Promise<KvStore> => openLocalKvStore({ path, syncWrites: true, prefetchSize: 256, strict: true });
  try {
    const first = await open();
    for (const name of ['a', 'b', 'z']) await first.set('p', key(name), key('old'));
    await first.close();
    // Every start turns the log of the last one into a table.
    const second = await open();
    await second.set('p', key('a'), key('new'));
    await second.delete('p', key('b'));
    // The last record: a repair that looks at readable keys alone does not see it.
    await second.delete('p', key('z'));
    await second.close();
    await (await open()).close();
    const [older = '', newer = '', ...others] = (await readdir(path)).filter(name => name.endsWith('.ldb')).sort();
    assert.ok(newer !== '' && others.length === 0);
    await rename(join(path, older), join(path, 'older'));
    await rename(join(path, newer), join(path, older));
    await rename(join(path, 'older'), join(path, newer));
    await rm(join(path, 'CURRENT'));

    const repair = await prepareRepair(path);
    assert.match(repair.findings.join('\n'), /1 records in 1 partitions can be read and are kept$/);
    await repair.apply();
    await repair.close();
    // The second read sees what the first start made of the repaired files.
    for (const read of ['first', 'second']) {
      const store = await open();
      const found = [];
      for (const name of ['a', 'b', 'z']) found.push((await store.get('p', key(name)))?.value.toString());
      assert.deepEqual(found, ['new', undefined, undefined], `${read} read`);
      const scanned = await collect(store.scan('p'));
      assert.deepEqual(
        scanned.map(entry => [entry.key.toString(), entry.value.toString()]),
        [['a', 'new']],
        `${read} read`,
      );
      await store.close();
    }
  } finally {
    await rm(path, { recursive: true, force: true });
  }
});
