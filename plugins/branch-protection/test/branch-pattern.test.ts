/** Patterns of branches on the web page. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { matchesPattern } from '../page/branch-pattern.js';

it('matches patterns of branches as the server does', () => {
  assert.deepEqual(
    ['main', 'release-1', 'release-10', 'v.1'].filter(name => matchesPattern('release-?', name) || matchesPattern('v.*', name)),
    ['release-1', 'v.1'],
  );
  assert.ok(!matchesPattern('v.1', 'vx1'));
});
