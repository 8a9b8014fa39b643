import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '@srv/lib-api/client';
import engineOperations from '../../src/operations/index.js';
import { engineShapes } from '../../src/operations/wire-shapes.js';

test('the shapes that clients use match the operations; node scripts/dist/wire-shapes.js regenerates them', () => {
  assert.deepEqual(linesOf(engineShapes), linesOf(engineOperations));
});
