import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetadataFolders } from '../../src/tables/metadata-folders.js';
import type { BlockStore } from '@srv/kernel';

test('beyond maxNamespaces: the folder of the namespace least in use is looked for again', async () => {
  let looks = 0;
  const exists = async (): Promise<boolean> => {
    looks++;
    return true;
  };
  const folders = new MetadataFolders({ block: { exists } as unknown as BlockStore, configured: '_srv' });
  for (let i = 0; i <= 10_000; i++) assert.equal(await folders.find(`mem://${i}`), '_srv');
  assert.equal(looks, 10_001);
  await folders.find('mem://10000');
  assert.equal(looks, 10_001);
  await folders.find('mem://0');
  assert.equal(looks, 10_002);
});
