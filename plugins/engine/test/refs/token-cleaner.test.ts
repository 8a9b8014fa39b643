import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { TokenCleaner } from '../../src/refs/token-cleaner.js';

const cleanerOf = (kv: MemoryKvStore) => new TokenCleaner({ kv, log: silentLogger, grace: 5, period: 3_600_000, rateLimit: 0 });

test('rows of a dropped partition go after the grace, those of others stay', async () => {
  const kv = new MemoryKvStore();
  const cleaner = cleanerOf(kv);
  await kv.set('dropped', Buffer.from('a'), Buffer.from('1'));
  await kv.set('kept', Buffer.from('a'), Buffer.from('1'));
  await cleaner.drop(['dropped']);
  while (await kv.get('cleanup-tokens', Buffer.from('dropped'))) await sleep(5);
  await cleaner.stop();
  assert.equal(await kv.get('dropped', Buffer.from('a')), undefined);
  assert.ok(await kv.get('kept', Buffer.from('a')));
});

test('a partition that another server cleaned is forgotten', async t => {
  const kv = new MemoryKvStore();
  const cleaner = cleanerOf(kv);
  const scan = t.mock.method(kv, 'scan');
  await cleaner.drop(['dropped']);
  await kv.delete('cleanup-tokens', Buffer.from('dropped'));
  while (scan.mock.callCount() === 0) await sleep(5);
  await sleep(100);
  assert.equal(scan.mock.callCount(), 1, 'what is forgotten is not looked for again');
  await cleaner.stop();
});
