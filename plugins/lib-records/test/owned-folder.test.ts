import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { makeOwnFolder, removeOwnFolder } from '../src/owned-folder.js';

function logOf() {
  const warnings: object[] = [];
  return { warnings, log: { warn: (facts: object) => void warnings.push(facts) } };
}

it('a folder is removed with what is in it', async () => {
  const { log, warnings } = logOf();
  const folder = await makeOwnFolder(scratchFolder(), 'srv-test-');
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a', 'b'), '');
  await removeOwnFolder(folder, log);
  await removeOwnFolder(folder, log);
  assert.deepEqual([existsSync(folder), warnings], [false, []]);
});

it('a folder that cannot be removed is logged', async () => {
  const { log, warnings } = logOf();
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, '');
  // Below a file nothing can be removed.
  const path = join(file, 'folder');
  await removeOwnFolder(path, log);
  assert.deepEqual(
    warnings.map(facts => ({ ...facts, error: /ENOTDIR/.test(JSON.stringify(facts)) })),
    [{ path, error: true }],
  );
});
