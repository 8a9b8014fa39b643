/** What the driver remembers of its files and folders is bounded, and correct beyond the bound. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { DurableFolders } from '../src/server/files/durable-folders.js';
import { Etags } from '../src/server/files/etags.js';
import { Roots } from '../src/server/files/roots.js';

const state = (ino: number) => ({ dev: 1n, ino: BigInt(ino), size: 1n, mtimeNs: 1n });

function openRoots(): { readonly base: string; readonly roots: Roots } {
  const base = scratchFolder();
  return { base, roots: new Roots({ path: base, real: base }, []) };
}

test('beyond maxRecent: the oldest etags are forgotten, the latest are known', () => {
  const etags = new Etags();
  for (let ino = 0; ino <= 50_000; ino++) etags.remember(state(ino), String(ino));
  assert.equal(etags.known(state(0)), undefined);
  assert.deepEqual([etags.known(state(50_000)), etags.known(state(25_001))], ['50000', '25001']);
});

test('beyond maxRealFolders: real paths are asked for again', async () => {
  const { base, roots } = openRoots();
  const folder = (i: number): string => join(base, `f${i}`);
  for (let i = 0; i <= 1000; i++) await mkdir(folder(i));
  await roots.realFolder(folder(0));
  assert.equal(roots.knownFolder(folder(0)), folder(0));
  for (let i = 1; i <= 1000; i++) await roots.realFolder(folder(i));
  assert.equal(roots.knownFolder(folder(0)), undefined);
  assert.equal(await roots.realFolder(folder(0)), folder(0));
});

test('beyond maxMade: a folder is made once more', async () => {
  const { base, roots } = openRoots();
  const folders = new DurableFolders(roots, { known: 10 });
  const first = join(base, 'first');
  await folders.make(first);
  await rm(first, { recursive: true });
  await folders.make(first);
  assert.equal(existsSync(first), false, 'is known, and no other process removes it');
  for (let i = 0; i < 10; i++) await folders.make(join(base, String(i)));
  await folders.make(first);
  assert.equal(existsSync(first), true);
});
