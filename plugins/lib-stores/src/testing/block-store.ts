/** The conformance suite of the block store contract: every driver passes it against its real backend. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { splitNamespace } from '../block/namespaces.js';
import { addressCases } from './block-addresses.js';
import { newKey, pattern, read, relative, single } from './block-case.js';
import { multipartCases } from './block-multipart.js';
import { objectCases } from './block-objects.js';
import { removalCases } from './block-removals.js';
import { walkCases } from './block-walk.js';
import type { BlockStore } from '../block/contract.js';
import type { BlockCase, BlockSuiteOptions } from './block-case.js';

/** A store under test. */
export interface OpenBlockStore {
  readonly store: BlockStore;
  /** A storage namespace the suite may write below, such as `s3://bucket/suite`. */
  readonly namespace: string;
  /** Removes the data; the suite has closed the store before. */
  readonly cleanup: () => Promise<void>;
}

/**
 * Registers the block store suite with `node:test`.
 * @example testBlockStore('block-mem', async () => ({ store: openMemoryStore(), namespace: 'mem://suite', cleanup: async () => {} }));
 */
export function testBlockStore(name: string, open: () => Promise<OpenBlockStore>, options: BlockSuiteOptions = {}): void {
  const { timeout = 1_800_000 } = options;
  describe(`${name}: block store contract`, { timeout }, () => {
    let opened: OpenBlockStore | undefined;
    const run = randomUUID();
    const current = (): OpenBlockStore => {
      assert.ok(opened, 'the store is open');
      return opened;
    };
    const suite: BlockCase = { store: () => current().store, namespace: () => `${current().namespace}/${run}`, options };
    before(async () => {
      opened = await open();
    });
    after(async () => {
      await opened?.store.close();
      await opened?.cleanup();
    });
    factCases(suite);
    objectCases(suite);
    addressCases(suite);
    multipartCases(suite);
    walkCases(suite);
    removalCases(suite);
    preSignCases(suite);
  });
}

function factCases(suite: BlockCase): void {
  it('states facts that agree with one another', () => {
    const { type, info } = single(suite);
    assert.equal(info.type, type);
    const allowed = new RegExp(info.namespacePattern);
    for (const example of [splitNamespace(suite.namespace()).storageNamespace, info.namespaceExample]) assert.match(example, allowed);
    assert.doesNotMatch('nowhere', allowed);
    assert.ok(info.preSign || !(info.preSignUi || info.preSignMultipart), 'pre-signing for the page or parts needs pre-signing');
  });
}

function preSignCases(suite: BlockCase): void {
  const { store } = suite;

  it('pre-signs reading and writing, or says unsupported', async () => {
    const pointer = relative(suite, newKey('signed file.txt'));
    if (!single(suite).info.preSign) {
      for (const mode of ['read', 'write'] as const) await rejectsWith(() => store().preSign(pointer, mode), 'unsupported');
      return;
    }
    const content = pattern(1000);
    const upload = await fetch((await store().preSign(pointer, 'write')).url, {
      method: 'PUT',
      body: new Uint8Array(content),
      headers: { 'x-ms-blob-type': 'BlockBlob' },
    });
    assert.ok(upload.ok, `PUT answered ${upload.status}`);
    assert.deepEqual(await read(store(), pointer), content);
    const { url, expiry } = await store().preSign(pointer, 'read', 'folder/given name.txt');
    const download = await fetch(url);
    assert.deepEqual(Buffer.from(await download.arrayBuffer()), content);
    assert.match(download.headers.get('content-disposition') ?? '', /given name\.txt|given%20name\.txt/);
    assert.ok(expiry === undefined || expiry > new Date());
  });

  it('pre-signs parts, or says unsupported', async () => {
    const pointer = relative(suite, newKey());
    if (!single(suite).info.preSignMultipart) {
      await rejectsWith(() => store().preSignPart(pointer, 'an-upload', 1), 'unsupported');
      return;
    }
    const { uploadId } = await store().createMultipart(pointer);
    const content = pattern(1000);
    const upload = await fetch((await store().preSignPart(pointer, uploadId, 1)).url, { method: 'PUT', body: new Uint8Array(content) });
    assert.ok(upload.ok, `PUT answered ${upload.status}`);
    const { parts } = await store().listParts(pointer, uploadId);
    await store().completeMultipart(pointer, uploadId, parts);
    assert.deepEqual(await read(store(), pointer), content);
  });
}
