/** A folder whose objects are deleted but not yet committed: a listing passes over each deletion once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { commit, newRepository, openEngine } from './fixture.js';
import type { KvEntry, ScanOptions } from '@srv/kernel';

/** Counts the rows that scans hand over. */
class CountingStore extends MemoryKvStore {
  rows = 0;

  override async *scan(partition: string, options?: ScanOptions): AsyncGenerator<readonly KvEntry[]> {
    for await (const page of super.scan(partition, options)) {
      this.rows += page.length;
      yield page;
    }
  }
}

/** Rows of one more page may be read ahead. */
const readAhead = 1000;

it('reads each uncommitted deletion once, whatever the delimiter', async t => {
  const kv = new CountingStore();
  const { engine } = await openEngine(t, {}, kv);
  const folder = Array.from({ length: 3000 }, (_, i) => `folder/${i}`);
  const id = await newRepository(engine, 'repo', ...folder, 'a', 'z');
  await engine.commit(id, 'main', commit);
  for (let i = 0; i < folder.length; i += 1000) await engine.deleteObjects(id, 'main', folder.slice(i, i + 1000));
  for (const delimiter of ['', '/', 'older/']) {
    kv.rows = 0;
    const { results } = await engine.list(id, 'main', { delimiter });
    assert.deepEqual(
      results.map(({ path }) => path),
      ['a', 'z'],
      delimiter,
    );
    assert.ok(kv.rows >= folder.length, `${kv.rows} rows, ${JSON.stringify(delimiter)}`);
    assert.ok(kv.rows <= folder.length + readAhead, `${kv.rows} rows, ${JSON.stringify(delimiter)}`);
  }
});
