import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestKernel } from '@srv/kernel/testing';
import plugin from '../src/server/index.js';

test('opens for the type mem', async () => {
  const kernel = await createTestKernel({ plugins: [plugin] });
  assert.equal(kernel.services.get('block').type, 'mem');
  await kernel.stop();
});
