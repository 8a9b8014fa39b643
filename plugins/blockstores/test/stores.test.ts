import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openBoth } from './fixture.js';
import type { TestContext } from 'node:test';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

const at = (namespace: string, identifier: string): ObjectPointer => ({ namespace, identifier, identifierType: identifierType.relative });
const [disk, ram] = ['disk+local://place', 'ram+mem://place'];

async function opened(t: TestContext): Promise<{ readonly block: BlockStore; readonly folder: string }> {
  const { kernel, folder, close } = await openBoth();
  t.after(close);
  return { block: kernel.services.get('block'), folder };
}

const content = async (block: BlockStore, pointer: ObjectPointer): Promise<string> => (await buffer(await block.get(pointer))).toString();

test('each object lies in the store that its namespace names, and in no other', async t => {
  const { block, folder } = await opened(t);
  await block.put(at(disk, 'data/a'), Buffer.from('on disk'));
  await block.put(at(ram, 'data/b'), Buffer.from('in memory'));
  assert.deepEqual(await readdir(join(folder, 'place', 'data')), ['a']);
  assert.equal(await block.exists(at(ram, 'data/a')), false);
  assert.equal(await content(block, at(ram, 'data/b')), 'in memory');
  // The default store needs no id.
  assert.equal(await content(block, at('local://place', 'data/a')), 'on disk');
});

test('addresses that come from a store bear no storage id', async t => {
  const { block } = await opened(t);
  await block.put(at(ram, 'data/b'), Buffer.from('x'));
  assert.equal(block.resolve(at(ram, 'data/b')), 'mem://place/data/b');
  const walked = (await collect(block.walk('ram+mem://place/'))).map(({ address, relativeKey }) => [address, relativeKey]);
  assert.deepEqual(walked, [['mem://place/data/b', 'data/b']]);
});

test('copies objects and parts from one store to another', async t => {
  const { block } = await opened(t);
  await block.put(at(disk, 'data/a'), Buffer.from('0123456789'));
  await block.copy(at(disk, 'data/a'), at(ram, 'data/copy'));
  assert.equal(await content(block, at(ram, 'data/copy')), '0123456789');
  const target = at(ram, 'data/joined');
  const { uploadId } = await block.createMultipart(target);
  const part = await block.copyPart(at(disk, 'data/a'), target, uploadId, 1, { start: 3, end: 99 });
  await block.completeMultipart(target, uploadId, [{ partNumber: 1, etag: part.etag }]);
  assert.equal(await content(block, target), '3456789');
  await rejectsWith(() => block.copy(at(disk, 'data/none'), at(ram, 'data/none')), 'no_data');
});

test('removes objects of several stores at once, and reports failures with the pointers it was given', async t => {
  const { block } = await opened(t);
  const pointers = [at(disk, 'data/a'), at(ram, 'data/b')];
  for (const pointer of pointers) await block.put(pointer, Buffer.from('x'));
  const bad: ObjectPointer = { namespace: ram, identifier: 'nowhere://x/y', identifierType: identifierType.full };
  const failures = await block.removeAll([...pointers, bad]);
  assert.deepEqual(
    failures.map(({ pointer }) => pointer),
    [bad],
  );
  for (const pointer of pointers) assert.equal(await block.exists(pointer), false);
});

test('a store that is not configured is named', async t => {
  const { block } = await opened(t);
  await rejectsWith(
    () => block.get(at('tape+mem://place', 'x')),
    'unavailable',
    /block store "tape" is not configured; configured are disk, ram/,
  );
});

const refused: readonly (readonly [name: string, list: unknown, message: RegExp])[] = [
  [
    'two stores with one id',
    [
      { id: 'a', type: 'mem' },
      { id: 'a', type: 'mem' },
    ],
    /"a" is there twice/,
  ],
  [
    'two default stores',
    [
      { id: 'a', type: 'mem', backward_compatible: true },
      { id: 'b', type: 'mem', backward_compatible: true },
    ],
    /one store with backward_compatible: true; there are a, b/,
  ],
  ['an id with a slash', [{ id: 'a/b', type: 'mem' }], /an id of .* for block store 1 of the list/],
  ['a store without a type', [{ id: 'a' }], /a type, such as s3, for store a/],
  ['a field that no store has', [{ id: 'a', type: 'mem', typ: 'x' }], /; not "typ"/],
  ['text that is not JSON, without showing it', '[{"id": "my-secret"', /^(?![\s\S]*my-secret)[\s\S]*a JSON list/],
  ['a type that no plugin opens', [{ id: 'a', type: 'tape' }], /store a of blockstores.stores: .*"tape"/],
  ['stores in stores', [{ id: 'a', type: 'multiple' }], /multiple is not that of a single store/],
  [
    'a setting that the store does not have',
    [{ id: 'a', type: 'local', local: { pat: '/x' } }],
    /blockstore.local.pat: unknown key; did you mean blockstore.local.path/,
  ],
  [
    'settings that do not go together',
    [{ id: 'a', type: 'local', local: { path: '/tmp', allowed_external_prefixes: ['relative'] } }],
    /store a of blockstores.stores: .*relative is not absolute/s,
  ],
  ['an empty list', [], /needs a list in blockstores.stores/],
];

for (const [name, list, message] of refused)
  test(`refuses ${name}`, async () => {
    await assert.rejects(
      openBoth(() => list),
      message,
    );
  });
