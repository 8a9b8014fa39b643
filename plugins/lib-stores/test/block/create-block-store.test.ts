import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { SrvError, isSrvError, silentLogger } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { PartUploads, createBlockStore, identifierType, storageInfo, unknownUpload } from '../../src/block/index.js';
import type { BatchRemoval, BlockDriver, BlockPlace, KeptUpload, ListedPart, PartBackend } from '../../src/block/index.js';

const at = (identifier: string) => ({ namespace: 'test://bucket', identifier, identifierType: identifierType.relative });
const nothing = () => Promise.reject(new Error('is not called'));

function driver(special: Partial<BlockDriver>): BlockDriver {
  return {
    info: storageInfo('test', {}),
    uploads: { begin: nothing, part: nothing, copyPart: nothing, list: nothing, complete: nothing, abort: nothing },
    unsigned: { object: 'no URLs', part: 'no URLs of parts' },
    removalsAtOnce: 2,
    resolve: ({ namespace, identifier }) => `${namespace}/${identifier}`,
    locate({ namespace, identifier }) {
      if (identifier === '') throw new SrvError('invalid', 'missing object key');
      return { address: `${namespace}/${identifier}` };
    },
    locatePrefix: address => ({ address }),
    put: nothing,
    get: nothing,
    properties: nothing,
    remove: nothing,
    copy: nothing,
    walk: async function* () {},
    close: () => undefined,
    ...special,
  };
}

test('a closed store refuses every call, and closes its driver once', async () => {
  let closes = 0;
  const store = createBlockStore(driver({ region: async () => 'here', close: () => void closes++ }));
  await Promise.all([store.close(), store.close()]);
  assert.equal(closes, 1);
  const calls = [
    () => store.put(at('x'), Buffer.alloc(0)),
    () => store.get(at('x')),
    () => store.exists(at('x')),
    () => store.remove(at('x')),
    () => store.removeAll([]),
    () => store.completeMultipart(at('x'), 'id', []),
    () => collect(store.walk('test://bucket/')),
    async () => store.region?.('test://bucket'),
  ];
  for (const call of calls) await rejectsWith(call, 'closed');
});

test('offers only what the driver has', async () => {
  const store = createBlockStore(driver({}));
  assert.deepEqual([store.putFile, store.openUploads, store.region, store.checkReadable], [undefined, undefined, undefined, undefined]);
  await rejectsWith(() => store.preSign(at('x'), 'read'), 'unsupported', /no URLs/);
  await rejectsWith(() => store.preSignPart(at('x'), 'id', 1), 'unsupported', /no URLs of parts/);
});

test('failures are explained with their place, and with what was asked for', async () => {
  const explained: unknown[] = [];
  const fails = () => Promise.reject(new Error('404'));
  const store = createBlockStore(
    driver({
      properties: fails,
      uploads: { begin: fails, part: fails, copyPart: fails, list: fails, complete: fails, abort: fails },
      explain(_, { address }, { absent }) {
        explained.push([address, absent]);
        return new SrvError(absent ? 'not_found' : 'no_data', 'as explained');
      },
    }),
  );
  assert.equal(await store.exists(at('x')), false);
  await rejectsWith(() => store.listParts(at('y'), 'id'), 'not_found');
  assert.deepEqual(explained, [
    ['test://bucket/x', undefined],
    ['test://bucket/y', 'upload'],
  ]);
});

test('many objects are removed in groups; what a request cannot name, or all when there is no such request, one by one', async () => {
  for (const isKnown of [true, false]) {
    const requests: string[][] = [];
    const singles: string[] = [];
    const batchRemoval: BatchRemoval<BlockPlace> = {
      limit: 2,
      groupOf: () => 'bucket',
      fits: ({ address }) => !address.endsWith('odd'),
      async remove(places) {
        if (!isKnown) throw new SrvError('unsupported', 'no such request');
        requests.push(places.map(({ address }) => address.slice(-1)));
        return new Map(places.filter(({ address }) => address.endsWith('b')).map(place => [place, new Error('is kept')]));
      },
      isUnsupported: failure => isSrvError(failure, 'unsupported'),
    };
    const store = createBlockStore(driver({ batchRemoval, remove: async ({ address }) => void singles.push(address.slice(14)) }));
    const failures = await store.removeAll(['a', 'b', 'c', 'odd', ''].map(at));
    const reasons = failures.map(({ pointer, error }) => [pointer.identifier, error.message]);
    if (isKnown) assert.deepEqual([requests, singles], [[['a', 'b'], ['c']], ['odd']]);
    else assert.deepEqual([requests, singles.sort()], [[], ['a', 'b', 'c', 'odd']]);
    assert.deepEqual(reasons, [['', 'missing object key'], ...(isKnown ? [['b', 'is kept']] : [])]);
  }
});

type Backend = PartBackend<BlockPlace, ListedPart, KeptUpload<ListedPart>>;

const part = { partNumber: 1, etag: 'e'.repeat(32), size: 3, lastModified: new Date(0) };

function parts(special: Partial<Backend>): Backend {
  return {
    begin: async () => 'id',
    check: async () => undefined,
    part: async () => part,
    copyPart: async () => part,
    list: async () => ({ parts: [part] }),
    complete: async () => part,
    abort: async () => undefined,
    dropPart: async () => undefined,
    ...special,
  };
}

test('a part whose upload ends while it is written is removed, and reported as unknown', async () => {
  let checks = 0;
  const dropped: unknown[] = [];
  const backend = parts({
    async check({ address }, id) {
      if (checks++ > 0) throw unknownUpload(id, address);
    },
    dropPart: async written => void dropped.push(written),
  });
  const store = createBlockStore(driver({ uploads: new PartUploads(backend) }));
  await rejectsWith(() => store.uploadPart(at('x'), 'id', 1, Readable.from([])), 'not_found');
  assert.deepEqual(dropped, [part]);
});

test('completing reports what remains of the upload, or fails without a log', async () => {
  const warned: unknown[] = [];
  const log = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  const explain = () => new SrvError('slow_down', 'later');
  const backend = parts({ abort: () => Promise.reject(new Error('not now')) });
  const complete = (uploads: BlockDriver['uploads']) =>
    createBlockStore(driver({ uploads })).completeMultipart(at('x'), 'id', [{ partNumber: 1, etag: `"${part.etag}"` }]);
  assert.equal((await complete(new PartUploads(backend, { log, explain }))).size, 3);
  assert.deepEqual(warned, [{ address: 'test://bucket/x', upload_id: 'id', code: 'slow_down', error: 'later' }]);
  await assert.rejects(() => complete(new PartUploads(backend)), /not now/);
});
