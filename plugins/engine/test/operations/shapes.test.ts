import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, shapesOf } from '@srv/lib-api/client';
import { engineShapes } from '../../src/operations/shapes.js';

test('the lines in a bundle say of every operation what a client needs', () => {
  const lines = JSON.parse(JSON.stringify(linesOf(engineShapes))) as ReturnType<typeof linesOf>;
  const shapes = shapesOf(lines);
  assert.deepEqual(Object.keys(shapes), Object.keys(engineShapes));
  assert.deepEqual(linesOf(shapes), linesOf(engineShapes));
  assert.deepEqual([shapes['createTag']?.method, shapes['createTag']?.path], ['POST', '/repositories/{repository}/tags']);
});
