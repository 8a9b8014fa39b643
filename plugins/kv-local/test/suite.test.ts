/** The suite and the test kernel themselves: the reference store in memory passes, too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKvStore, createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { testKvStore } from '@srv/lib-stores/testing';

testKvStore('in memory', async () => ({ store: new MemoryKvStore(), cleanup: async () => {} }));

test('a test kernel uses the stores it is given, else one in memory and one that refuses', async () => {
  const kv = new MemoryKvStore();
  const given = await createTestKernel({ kv });
  assert.equal(given.services.get('kv'), kv);
  await rejectsWith(
    async () => given.services.get('block').exists({ namespace: 'mem://x', identifier: 'y', identifierType: identifierType.relative }),
    'unsupported',
    /pass `block`/,
  );
  await given.stop();
  const own = await createTestKernel();
  await own.services.get('kv').set('p', Buffer.from('k'), Buffer.from('v'));
  await own.stop();
});
