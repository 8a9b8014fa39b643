/** Walk cases of the block suite. A store that cannot walk answers `unsupported` and states no import support. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '../block/contract.js';
import { splitNamespace } from '../block/namespaces.js';
import { newKey, pattern, relative, single, walkable } from './block-case.js';
import type { WalkedObject } from '../block/contract.js';
import type { BlockCase } from './block-case.js';

export function walkCases(suite: BlockCase): void {
  const { store } = suite;

  /** What a walk below a fresh prefix with `keys` finds, or `undefined` when the store cannot walk. */
  async function walked(
    keys: readonly string[],
    options: { after?: string } = {},
  ): Promise<{ prefix: string; uri: string; found: WalkedObject[] } | undefined> {
    const prefix = newKey('walked/');
    for (const key of keys) await store().put(relative(suite, prefix + key), pattern(key.length));
    const uri = walkable(suite, prefix);
    try {
      return { prefix, uri, found: await collect(store().walk(uri, options)) };
    } catch (error) {
      if (single(suite).info.importSupported || !isSrvError(error, 'unsupported')) throw error;
      return undefined;
    }
  }

  it('walks the same objects when no etags are asked for', async () => {
    const result = await walked(['a', 'b/c', 'b/d']);
    if (!result) return;
    const plain = await collect(store().walk(result.uri, { etags: false }));
    assert.deepEqual(
      plain.map(object => ({ ...object, etag: '' })),
      result.found.map(object => ({ ...object, etag: '' })),
    );
  });

  it('walks in byte order of whole keys, with facts that agree with properties', async () => {
    const folders = [4, 3, 2, 1, 0].flatMap(folder => [4, 3, 2, 1, 0].map(file => `folder_${folder}/test_file_${file}`));
    const keys = [
      ...folders,
      'folder_0.txt',
      'folder_0',
      'Upper',
      'é',
      'z',
      'folder_1/deeper/file',
      'folder_1/deeper.txt',
      'double//slash',
      'percent%20',
      'space here',
    ].filter(key => !suite.options.refusesKey?.(key));
    const result = await walked(keys);
    if (!result) return;
    const { found, uri } = result;
    assert.deepEqual(
      found.map(o => o.relativeKey),
      [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const { relativeKey, address, ...facts } of found) {
      assert.equal(facts.size, relativeKey.length);
      const properties = await store().properties({
        namespace: suite.namespace(),
        identifier: address,
        identifierType: identifierType.full,
      });
      assert.deepEqual({ size: properties.size, etag: properties.etag }, { size: facts.size, etag: facts.etag }, address);
      // Some backends list with another precision than they answer with.
      assert.ok(Math.abs(properties.lastModified.getTime() - facts.lastModified.getTime()) < 2000, address);
      if (/^[\w/.]+$/.test(relativeKey)) assert.equal(address, splitNamespace(uri).storageNamespace + relativeKey);
    }
  });

  it('walks the names that begin with the URI, or the folder it names, as `wholeSegments` says', async () => {
    const result = await walked(['folder/a', 'folder2/b']);
    if (!result) return;
    const uri = `${result.uri}folder`;
    const { wholeSegments = 1 } = single(suite).info;
    const isWhole = uri.slice(uri.indexOf('://') + '://'.length).split('/').length <= wholeSegments;
    const { storageNamespace: shown } = splitNamespace(uri);
    assert.deepEqual(
      (await collect(store().walk(uri))).map(object => object.address),
      isWhole ? [`${shown}/a`] : [`${shown}/a`, `${shown}2/b`],
    );
  });

  it('resumes after a key, present or not', async () => {
    const keys = ['a', 'b/1', 'b/2', 'b/3/x', 'b.txt', 'c'];
    const order = ['a', 'b.txt', 'b/1', 'b/2', 'b/3/x', 'c'];
    const result = await walked(keys);
    if (!result) return;
    for (const after of ['', 'a', 'a!', 'b', 'b.txt', 'b/', 'b/1', 'b/2', 'b/2/x', 'b/3/x', 'b0', 'c', 'd']) {
      const rest: readonly WalkedObject[] = await collect(store().walk(result.uri, { after }));
      assert.deepEqual(
        rest.map(o => o.relativeKey),
        order.filter(key => key > after),
        `after ${after}`,
      );
    }
  });

  it('walks nothing where nothing is', async () => {
    const result = await walked([]);
    if (result) assert.deepEqual(result.found, []);
  });

  it('walks more than one page', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `many/${String(i).padStart(5, '0')}`);
    const result = await walked(keys);
    if (result)
      assert.deepEqual(
        result.found.map(o => o.relativeKey),
        keys,
      );
  });

  it('a walk can be cancelled', async () => {
    const result = await walked(['a', 'b']);
    if (result) await rejectsWith(() => collect(store().walk(result.uri, { signal: AbortSignal.abort() })), 'cancelled');
  });
}
