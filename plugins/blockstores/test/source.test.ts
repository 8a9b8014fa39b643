import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSeveralStores } from '../src/server/source.js';
import type { ConfigEntry } from '@srv/kernel';

const entry = (key: string, raw: unknown, more: Partial<ConfigEntry> = {}): ConfigEntry => ({ key, raw, source: 'config.yaml:1', ...more });
const list = entry('blockstores.stores', [{ id: 'a', type: 'mem' }], { source: 'SRV_BLOCKSTORES_STORES' });

test('a list of stores stands for the type that joins them', () => {
  const entries = [entry('blockstore.type', 'local', { isPreset: true }), entry('blockstore.signing.secret_key', 's'), list];
  assert.deepEqual(withSeveralStores(entries).slice(entries.length), [
    { key: 'blockstore.type', raw: 'multiple', source: 'SRV_BLOCKSTORES_STORES' },
  ]);
});

test('without a list nothing changes', () => {
  for (const none of [null, [], '', '[]']) {
    const entries = [entry('blockstore.type', 's3'), entry('blockstores.stores', none)];
    assert.equal(withSeveralStores(entries), entries);
  }
});

test('refuses settings of a single store beside the list, and says where both are', () => {
  for (const key of ['blockstore.type', 'Blockstore.S3.region'])
    assert.throws(() => withSeveralStores([entry(key, 'x'), list]), {
      code: 'config',
      message: `${key} (from config.yaml:1) and blockstores.stores (from SRV_BLOCKSTORES_STORES) exclude each other: keep section blockstore for one store, blockstores for several`,
    });
});
