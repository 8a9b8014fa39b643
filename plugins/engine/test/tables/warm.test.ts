import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUp } from '../../src/tables/workers/warm-up.js';
import { WorkerPool } from '../../src/tables/workers/worker-pool.js';

function newPool(): WorkerPool {
  const refuse = async (): Promise<never> => {
    throw new Error('nothing is to be stored or read');
  };
  const files = { workspace: '/nowhere', store: refuse, path: refuse, discard: refuse };
  const rules = { minSize: 0, maxSize: 20 << 20, raggedness: 50_000 };
  const openReaders = { range: 1, 'meta-range': 1 };
  return new WorkerPool({ threads: 2, uploaders: 1, rules, openReaders, files: { range: files, 'meta-range': files } });
}

test('threads are started ahead once, none of them after the pool was closed', async () => {
  const pool = newPool();
  const warming = pool.warm();
  assert.equal(pool.size, 2);
  await Promise.all([warming, pool.warm()]);
  assert.equal(pool.size, 2);
  await pool.close();
  await pool.warm();
  assert.equal(pool.size, 0);
});

test('a pool that is closed while it warms ends', async () => {
  const pool = newPool();
  const warming = pool.warm();
  await pool.close();
  await warming;
});

test('warming up builds, changes and compares tables', async () => {
  assert.equal(await warmUp(), 50);
});
