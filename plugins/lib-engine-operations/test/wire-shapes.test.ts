import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '@srv/lib-operations/client';
import engineOperations from '../src/index.js';
import { engineShapes } from '../src/wire-shapes.js';

test('what clients know of the operations is what the operations are; node scripts/dist/wire-shapes.js writes it anew', () => {
  assert.deepEqual(linesOf(engineShapes), linesOf(engineOperations));
});
