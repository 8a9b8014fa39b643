import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '@srv/kernel/testing';
import { defineBlockStore } from '../../src/block/index.js';

test('a walk of a bucket does not list a bucket whose name begins with its own', async () => {
  const facts = { size: 0, etag: '', lastModified: new Date(0) };
  const store = defineBlockStore({
    type: 'list',
    write: () => Promise.reject(new Error('is not written')),
    read: () => undefined,
    properties: () => undefined,
    remove: () => undefined,
    list: prefix =>
      ['list://data-repos/x', 'list://data/a', 'list://data/b/c'].filter(a => a.startsWith(prefix)).map(address => ({ address, ...facts })),
  });
  for (const uri of ['list://data', 'list://data/'])
    assert.deepEqual(
      (await collect(store.walk(uri))).map(object => object.relativeKey),
      ['a', 'b/c'],
      uri,
    );
});
