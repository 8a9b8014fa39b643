/** Two servers share a database and a store, and only one of them has the collector. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import blockMem from '@srv/block-mem/plugin';
import engineConfig from '@srv/engine/config';
import engine from '@srv/engine/plugin';
import { leaseKey } from '@srv/engine/refs/pins';
import { MemoryKvStore, createTestKernel } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { addRepository, ageless, collect, exists, openEngine, putText, temporaryFolder } from './fixture.js';
import type { TestContext } from 'node:test';
import type { Engine } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

async function openWithoutGc(t: TestContext, kv: KvStore, block: BlockStore): Promise<Engine> {
  const folder = await temporaryFolder(t);
  const kernel = await createTestKernel({
    plugins: [{ plugin: blockMem }, { plugin: engine, section: engineConfig }],
    config: { 'committed.warm_up': false, 'committed.local_cache.dir': join(folder, 'committed') },
    kv,
    block,
  });
  t.after(() => kernel.stop());
  return kernel.services.get('engine');
}

/** A database that waits for `before` when the collector first announces a batch: what is garbage is known, nothing is removed. */
class AnnouncedFirst extends MemoryKvStore {
  before: (() => Promise<void>) | undefined;

  override async setIf(...args: Parameters<MemoryKvStore['setIf']>): Promise<boolean> {
    const [, key, value] = args;
    if (key.equals(leaseKey) && JSON.parse(value.toString('utf8')).deleting) {
      const { before } = this;
      this.before = undefined;
      await before?.();
    }
    return super.setIf(...args);
  }
}

it('an object stays that a server without the collector stages again during a run', async t => {
  const kv = new AnnouncedFirst('shared');
  const collecting = await openEngine({ config: ageless, kv });
  t.after(() => collecting.stop());
  const id = await addRepository(collecting, 'repo');
  const other = await openWithoutGc(t, kv, collecting.block);
  const [again, garbage] = [await putText(collecting, id, 'main', 'old'), await putText(collecting, id, 'main', 'garbage')];
  const { size, etag } = await other.getEntry(id, 'main', 'old');
  for (const path of ['old', 'garbage']) await collecting.catalog.deleteObject(id, 'main', path);
  let isStaged = false;
  kv.before = async () => {
    await other.stageEntry(await other.getRepository(id), 'main', 'again', {
      address: again,
      addressType: identifierType.relative,
      size,
      etag,
    });
    isStaged = true;
  };
  const { phase, deleted, spared } = await collect(collecting.gc, id);
  assert.equal(isStaged, true);
  assert.deepEqual({ phase, deleted, spared }, { phase: 'done', deleted: 1, spared: 1 });
  assert.deepEqual([await exists(collecting, id, again), await exists(collecting, id, garbage)], [true, false]);
});
