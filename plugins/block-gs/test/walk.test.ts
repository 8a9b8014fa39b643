import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { at, namespace, useGs } from './served.js';

const { open } = useGs();

test('a prefix may end within a name; keys are relative to its last folder', async () => {
  const store = await open();
  for (const key of ['p/file1', 'p/file10', 'p/other']) await store.put(at(key), Buffer.from(key));
  const found = await collect(store.walk(`${namespace}/p/file1`));
  assert.deepEqual(
    found.map(({ relativeKey, address }) => ({ relativeKey, address })),
    ['file1', 'file10'].map(name => ({ relativeKey: name, address: `${namespace}/p/${name}` })),
  );
});

test('names are raw in addresses', async () => {
  const store = await open();
  const name = 'raw/a b%20c?d#é';
  await store.put(at(name), Buffer.from('x'));
  const [found] = await collect(store.walk(`${namespace}/raw/a b`));
  assert.equal(found?.address, `${namespace}/${name}`);
});

test('names with segments . and .. are names like others', async () => {
  const store = await open();
  for (const name of ['dots/a/../b', 'dots/./a', 'dots/..']) {
    await store.put(at(name), Buffer.from(name));
    assert.equal((await store.properties(at(name))).size, name.length);
  }
  const found = await collect(store.walk(`${namespace}/dots/`));
  assert.deepEqual(
    found.map(o => o.relativeKey),
    ['..', './a', 'a/../b'],
  );
});

test('a whole bucket is walked, page by page', async () => {
  const store = await open({ pageSize: 2 });
  const pages: number[] = [];
  for await (const page of store.walk(`${namespace}/`)) pages.push(page.length);
  assert.ok(pages.length > 2 && pages.every(length => length <= 2));
  await rejectsWith(() => collect(store.walk('s3://bucket/')), 'invalid');
  await rejectsWith(() => collect(store.walk('gs://nowhere/')), 'unavailable');
});
