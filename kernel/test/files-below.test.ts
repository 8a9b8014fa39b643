import assert from 'node:assert/strict';
import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesBelow, scratchFolder } from '../src/testing/index.js';

test('files below a folder are found, though another folder goes meanwhile', t => {
  const folder = scratchFolder();
  for (const path of ['a', 'b/c', 'gone']) mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['a/x', 'b/c/y', 'z']) writeFileSync(join(folder, path), '');
  const read = fs.readdirSync.bind(fs) as (...args: unknown[]) => unknown;
  t.mock.method(fs, 'readdirSync', (path: string, ...rest: unknown[]) => read(path.endsWith('gone') ? `${path}-indeed` : path, ...rest));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.deepEqual(filesBelow(folder), ['a/x', 'b/c/y', 'z']);
});
