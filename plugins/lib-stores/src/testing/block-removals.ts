/** Cases of removing many objects at once, and of what else a sweep of old objects needs. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '../block/contract.js';
import { inStoreOf } from '../block/namespaces.js';
import { newKey, pattern, relative, single, walkable } from './block-case.js';
import type { BlockStore, ObjectPointer } from '../block/contract.js';
import type { BlockCase } from './block-case.js';

const atOnce = 16;

export function removalCases(suite: BlockCase): void {
  const { store } = suite;

  it('removes many objects at once, and absent ones without error', async () => {
    const folder = newKey('many');
    // More than any store takes in one request of its smallest kind.
    const pointers = Array.from({ length: 300 }, (_, i) => relative(suite, `${folder}/${String(i).padStart(4, '0')}`));
    await putAll(store(), pointers);
    const [kept, ...others] = pointers;
    assert.ok(kept);
    const absent = [relative(suite, newKey()), relative(suite, `${folder}/0000/below`)];
    assert.deepEqual(await store().removeAll([...others, ...absent]), []);
    const left = await collect(store().walk(walkable(suite, `${folder}/`))).catch(() => undefined);
    if (left) {
      assert.deepEqual(
        left.map(object => object.relativeKey),
        ['0000'],
      );
    }
    for (const pointer of others.slice(0, 5)) assert.equal(await store().exists(pointer), false);
    assert.equal(await store().exists(kept), true);
    assert.deepEqual(await store().removeAll(pointers), []);
    assert.equal(await store().exists(kept), false);
    assert.deepEqual(await store().removeAll([]), []);
  });

  it('removes objects whatever their keys', async () => {
    const folder = newKey('odd');
    const keys = ['a&b', '<c>', '"d\'', 'é', 'sp ace', 'plus+', 'per%20cent', 'sig,nature=', 'tab\there', 'smile-\u{1f600}', '&amp;']
      .map(name => `${folder}/${name}`)
      .filter(key => !suite.options.refusesKey?.(key));
    const pointers = keys.map(key => relative(suite, key));
    await putAll(store(), pointers);
    assert.deepEqual(await store().removeAll(pointers), []);
    for (const pointer of pointers) assert.equal(await store().exists(pointer), false, pointer.identifier);
  });

  it('removes objects by full address and of several namespaces', async () => {
    const [first, second] = [relative(suite, newKey()), { ...relative(suite, newKey()), namespace: `${suite.namespace()}-other` }];
    await putAll(store(), [first, second]);
    const full = { ...first, identifier: store().resolve(first), identifierType: identifierType.full };
    assert.deepEqual(await store().removeAll([full, second]), []);
    assert.deepEqual([await store().exists(first), await store().exists(second)], [false, false]);
  });

  it('says of each object that could not be removed why, and removes the others', async () => {
    const good = [relative(suite, newKey()), relative(suite, newKey())];
    await putAll(store(), good);
    const bad: ObjectPointer = { namespace: suite.namespace(), identifier: 'nowhere://bucket/key', identifierType: identifierType.full };
    const failures = await store().removeAll([...good, bad]);
    assert.deepEqual(
      failures.map(({ pointer }) => pointer),
      [bad],
    );
    assert.match(failures[0]?.error.message ?? '', /nowhere/);
    for (const pointer of good) assert.equal(await store().exists(pointer), false);
  });

  it('a removal of many can be cancelled', async () => {
    const pointer = relative(suite, newKey());
    await putAll(store(), [pointer]);
    await rejectsWith(() => store().removeAll([pointer], { signal: AbortSignal.abort() }), 'cancelled');
    assert.equal(await store().exists(pointer), true);
  });

  it('lists what was put a moment ago with its time, and no longer what was removed', async () => {
    const folder = newKey('listed');
    const before = Date.now();
    const pointers = ['a', 'b'].map(name => relative(suite, `${folder}/${name}`));
    await putAll(store(), pointers);
    const uri = walkable(suite, `${folder}/`);
    const listed = await collect(store().walk(uri, { etags: false }));
    assert.equal(listed.length, 2);
    // Stores round to seconds, and their clock may differ a little.
    for (const { lastModified } of listed) assert.ok(Math.abs(lastModified.getTime() - before) < 120_000, lastModified.toISOString());
    const named = await collect(store().walk(uri, { facts: false }));
    assert.deepEqual(
      named.map(({ address, relativeKey }) => ({ address, relativeKey })),
      listed.map(({ address, relativeKey }) => ({ address, relativeKey })),
    );
    await store().removeAll(pointers.slice(0, 1));
    assert.deepEqual(
      (await collect(store().walk(uri))).map(object => object.relativeKey),
      ['b'],
    );
  });

  it('lists open uploads with their time, until they end', async () => {
    const pointer = relative(suite, newKey('upload'));
    const address = store().resolve(pointer);
    const open = async (uri: string): Promise<string[]> => {
      const found: string[] = [];
      for await (const page of store().openUploads?.(uri) ?? [])
        for (const upload of page) {
          assert.ok(Math.abs(upload.startedAt.getTime() - Date.now()) < 120_000, upload.startedAt.toISOString());
          found.push(`${upload.address} ${upload.uploadId}`);
        }
      return found;
    };
    const folder = inStoreOf(suite.namespace(), address.slice(0, address.lastIndexOf('/') + 1));
    const { uploadId } = await store().createMultipart(pointer);
    if (single(suite).openUploads) {
      assert.deepEqual(await open(folder), [`${address} ${uploadId}`]);
      assert.deepEqual(await open(walkable(suite, `${newKey()}/`)), []);
    }
    await store().abortMultipart(pointer, uploadId);
    assert.deepEqual(await open(folder), []);
  });
}

async function putAll(store: BlockStore, pointers: readonly ObjectPointer[]): Promise<void> {
  for (let at = 0; at < pointers.length; at += atOnce)
    await Promise.all(pointers.slice(at, at + atOnce).map(pointer => store.put(pointer, pattern(3), { size: 3 })));
}
