import assert from 'node:assert/strict';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { isLeftOver, makeOwnFolder, ownFolderName, ownerOf, removeOwnFolder } from '../src/owned-folder.js';

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

it('a folder of this process number in another container of this host is left over once it was not touched for ten minutes', async t => {
  const parent = scratchFolder();
  const [, before = '', last = ''] = /^(.+-)([^-]+)$/.exec(ownFolderName()) ?? [];
  if (last.length === 12) return t.skip('needs namespaces of processes');
  const [other, earlier] = [`${before}00000001${last.slice(8)}`, `${before}${last.slice(8)}`];
  const states = async (secondsAgo: number) => {
    const seconds = Date.now() / 1000 - secondsAgo;
    const found = [];
    for (const name of [other, earlier, `${before}${last}`]) {
      mkdirSync(join(parent, name), { recursive: true });
      utimesSync(join(parent, name), seconds, seconds);
      found.push([(await ownerOf(parent, name))?.state, await isLeftOver(parent, name)]);
    }
    return found;
  };
  const dead = ['dead', true];
  const sinceStart = process.uptime();
  assert.deepEqual(await states(0), [
    ['unknown', false],
    ['alive', false],
    ['alive', false],
  ]);
  assert.deepEqual(await states(sinceStart + 60), [['unknown', false], dead, dead]);
  assert.deepEqual(await states(sinceStart + 601), [dead, dead, dead]);
});
