import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkerPool } from '../src/server/worker-pool.js';
import type { WorkerPoolOptions } from '../src/server/worker-pool.js';

test('threads are started ahead once, none of them after the pool was closed', async () => {
  const pool = new WorkerPool({ threads: 2 } as WorkerPoolOptions);
  pool.warm();
  pool.warm();
  assert.equal(pool.size, 2);
  await pool.close();
  pool.warm();
  assert.equal(pool.size, 0);
});
