import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { createNameLocks } from '../src/server/name-locks.js';

it('a lock that cannot be ended does not change the result of the work, and refuses the next for a while', async t => {
  const kv = new MemoryKvStore();
  const warnings: unknown[] = [];
  const holding = createNameLocks(kv, { ...silentLogger, warn: (facts: unknown) => void warnings.push(facts) });
  const result = await holding('user', 'Ann', async () => {
    t.mock.method(kv, 'get', () => Promise.reject(new SrvError('unavailable', 'the database restarts')));
    return 'made';
  });
  assert.deepEqual([result, warnings], ['made', [{ kind: 'user', error: 'the database restarts' }]]);
  t.mock.restoreAll();
  await assert.rejects(
    holding('user', 'ann', async () => 'again'),
    /user ann is being created or changed by another request/,
  );
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
  assert.equal(await holding('user', 'ann', async () => 'again'), 'again');
});
