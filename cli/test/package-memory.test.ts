import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { rememberedPackages } from '../src/plugins/package-memory.js';

const scratch = scratchFolder();
after(() => rmSync(scratch, { recursive: true, force: true }));

function writePackage(folder: string, isPlugin: boolean): string {
  mkdirSync(folder, { recursive: true });
  const plugin = isPlugin ? { keywords: ['srv-plugin'], srv: { api: 1, name: basename(folder) } } : {};
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: basename(folder), ...plugin }));
  return folder;
}

/** As if nothing was added for a while. */
function settle(...folders: readonly string[]): void {
  const past = new Date(Date.now() - 60_000);
  for (const folder of folders) utimesSync(folder, past, past);
}

function found(modules: string, file: string, release = '1.0.0'): string[] {
  return [...(rememberedPackages([modules], file, release).get(modules) ?? [])].map(folder => folder.slice(modules.length + 1)).sort();
}

test('packages other than plugins are not read again until a package is added, here or in a scope', () => {
  const [modules, file] = [join(scratch, 'a', 'node_modules'), join(scratch, 'a', 'cache', 'packages.json')];
  writePackage(join(modules, 'one'), true);
  const plain = writePackage(join(modules, 'plain'), false);
  writePackage(join(modules, '@scope', 'two'), true);
  writePackage(join(modules, '@scope', 'plain'), false);
  settle(modules, join(modules, '@scope'));
  const first = ['@scope/two', 'one'];
  assert.deepEqual(found(modules, file), first);
  // That it becomes a plugin in place is not seen: it was not read.
  writePackage(plain, true);
  assert.deepEqual(found(modules, file), first);
  writePackage(join(modules, '@scope', 'three'), true);
  assert.deepEqual(found(modules, file), ['@scope/three', '@scope/two', 'one', 'plain']);
  settle(join(modules, '@scope'));
  renameSync(join(modules, 'one'), join(modules, 'renamed'));
  assert.deepEqual(found(modules, file), ['@scope/three', '@scope/two', 'plain', 'renamed']);
});

test('packages that are links are always read', () => {
  const [modules, file] = [join(scratch, 'b', 'node_modules'), join(scratch, 'b', 'packages.json')];
  mkdirSync(modules, { recursive: true });
  symlinkSync(writePackage(join(scratch, 'b', 'elsewhere'), false), join(modules, 'linked'));
  writePackage(join(modules, 'plain'), false);
  settle(modules);
  for (let i = 0; i < 2; i++) assert.deepEqual(found(modules, file), ['linked']);
});

test('a folder that has just changed is not remembered, since its time does not show another change', () => {
  const [modules, file] = [join(scratch, 'c', 'node_modules'), join(scratch, 'c', 'packages.json')];
  writePackage(join(modules, 'one'), true);
  assert.deepEqual(found(modules, file), ['one']);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {});
});

test('a memory that is damaged, or cannot be kept, only costs time', () => {
  const modules = join(scratch, 'd', 'node_modules');
  writePackage(join(modules, 'one'), true);
  settle(modules);
  const file = join(scratch, 'd', 'packages.json');
  for (const text of ['', '{', 'null', '[1]', `{"${modules}":{"stamps":{},"folders":[1]}}`, `{"${modules}":{"folders":[]}}`]) {
    writeFileSync(file, text);
    assert.deepEqual(found(modules, file), ['one'], text);
  }
  assert.deepEqual(found(modules, join(file, 'below a file')), ['one']);
  assert.deepEqual(found(join(scratch, 'nowhere'), file), []);
});

test('a package is found that was added without a new time of the folder, as images are made, or with another release', () => {
  const [modules, file] = [join(scratch, 'images', 'node_modules'), join(scratch, 'images', 'packages.json')];
  const made = new Date(0);
  const changed = () => statSync(modules, { bigint: true }).ctimeNs;
  const make = (name: string, isPlugin: boolean) => {
    writePackage(join(modules, name), isPlugin);
    // The clock of a file system may stand still for some milliseconds.
    for (const before = changed(); changed() === before; ) utimesSync(modules, made, made);
  };
  make('one', true);
  make('plain', false);
  assert.deepEqual(found(modules, file), ['one']);
  make('two', true);
  assert.deepEqual(found(modules, file), ['one', 'two']);
  // In place, no folder shows it.
  writePackage(join(modules, 'plain'), true);
  assert.deepEqual(found(modules, file), ['one', 'two']);
  assert.deepEqual(found(modules, file, '1.0.1'), ['one', 'plain', 'two']);
});
