/** Each store says whether workers can share it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kernel } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { defineBlockStore } from '@srv/lib-stores/block';
import { requireShareableStores } from '../src/srv/shareable-stores.js';

test('a store that one process alone can use is refused by key, value and remedy; others are not', () => {
  const kernel = new Kernel({ part: 'server' });
  requireShareableStores(kernel, 3);
  const open = (isShared: boolean) =>
    defineBlockStore({
      type: 'folder',
      info: { isShared },
      write: () => Promise.resolve(),
      read: () => undefined,
      properties: () => undefined,
      remove: () => undefined,
      list: () => [],
    });
  const remedy = 'which one process alone can use; choose a shared one, or run without --workers';
  assert.throws(() => kernel.hooks.stores.call({ kv: new MemoryKvStore('own'), block: open(false) }), {
    code: 'config',
    message: `--workers 3: blockstore.type is folder, ${remedy}`,
  });
  assert.throws(() => kernel.hooks.stores.call({ kv: new MemoryKvStore('own', false), block: open(true) }), {
    code: 'config',
    message: `--workers 3: database.type is own, ${remedy}`,
  });
  kernel.hooks.stores.call({ kv: new MemoryKvStore('own', true), block: open(true) });
});
