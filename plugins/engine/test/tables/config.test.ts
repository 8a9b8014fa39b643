import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Config } from '@srv/kernel';
import section from '../../src/config.js';

const name = 'committed.block_storage_prefix';
const configured = (raw: string) => Config.create([section], [{ key: name, raw, source: 'SRV_COMMITTED_BLOCK_STORAGE_PREFIX' }]);

test('the folder of metadata is inside the storage namespace, and not where objects are', () => {
  for (const folder of ['_srv', '_lakefs', 'a/b', 'database', 'a/data', '..a'])
    assert.equal(configured(folder).values(section.keys)[name], folder);
  for (const folder of ['', '.', '..', '../x', '/abs', 'a//b', 'a/', 'a/./b', 'a/..', 'data', 'data/x']) {
    const message = `committed.block_storage_prefix: ${JSON.stringify(folder)} is not a folder inside a storage namespace; `;
    assert.throws(
      () => configured(folder),
      (error: Error) => error.message.includes(message),
      folder,
    );
  }
});
