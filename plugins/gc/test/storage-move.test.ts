/** Rules that are written while their repository moves to another storage namespace: they lie in the one that it has left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectsWith, until } from '@srv/kernel/testing';
import { addRepository, openEngine } from './fixture.js';

test('rules are refused when the repository moves meanwhile, and set when the request is repeated', async t => {
  const engine = await openEngine({ config: { 'graveler.reposiory_cache.ttl': '30ms', 'graveler.reposiory_cache.jitter': '0s' } });
  t.after(() => engine.stop());
  const { block, catalog, gc } = engine;
  const id = await addRepository(engine, 'moved');
  const put = block.put.bind(block);
  const { mock } = t.mock.method(block, 'put', async (...args: Parameters<typeof put>) => {
    mock.restore();
    await catalog.startStorageMove(id, { storageId: '', storageNamespace: 'mem://bucket/elsewhere' });
    await until(async () => !(await catalog.storageMove(id)).isRunning);
    assert.equal((await catalog.storageMove(id)).phase, 'done');
    return put(...args);
  });
  const rules = { defaultRetentionDays: 7, branches: [] };
  await rejectsWith(() => gc.setRules(id, rules), 'moving', /is moving to another storage namespace/);
  await rejectsWith(() => gc.getRules(id), 'not_found');
  await gc.setRules(id, rules);
  assert.equal((await gc.getRules(id)).rules.defaultRetentionDays, 7);
});
