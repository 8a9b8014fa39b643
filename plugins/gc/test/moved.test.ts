/** Rules that are set through a server that has not noticed a move of the storage. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MemoryKvStore, until } from '@srv/kernel/testing';
import { addRepository, openEngine } from './fixture.js';

const caching = (ttl: string) => ({ config: { 'graveler.reposiory_cache.ttl': ttl, 'graveler.reposiory_cache.jitter': '0s' } });

it('rules are in the new namespace, or refused until they are', async t => {
  const kv = new MemoryKvStore('shared');
  const mover = await openEngine({ ...caching('30ms'), kv });
  t.after(() => mover.stop());
  const late = await openEngine({ ...caching('1h'), kv, block: mover.block });
  t.after(() => late.stop());
  const id = await addRepository(mover, 'repo');
  await late.catalog.getRepository(id);
  await mover.catalog.startStorageMove(id, { storageId: '', storageNamespace: 'mem://elsewhere/repo' });
  await until(async () => (await mover.catalog.storageMove(id)).phase === 'done');
  const rules = { defaultRetentionDays: 3, branches: [] };
  await assert.rejects(late.gc.setRules(id, rules), { code: 'moving' });
  await late.gc.setRules(id, rules);
  assert.equal((await mover.gc.getRules(id)).rules.defaultRetentionDays, 3);
});
