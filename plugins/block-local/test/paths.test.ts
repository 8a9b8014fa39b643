/** What an address may reach: text first, then symbolic links; and where files lie. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

let folder = '';
let base = '';
let store: BlockStore;
const relative = (identifier: string, namespace = 'local://repo/namespace'): ObjectPointer => ({
  namespace,
  identifier,
  identifierType: identifierType.relative,
});
const full = (identifier: string): ObjectPointer => ({
  namespace: 'local://repo/namespace',
  identifier,
  identifierType: identifierType.full,
});
const content = Buffer.from('content');

/** Every operation refuses the pointer in the same way. */
async function refused(pointer: ObjectPointer, code: 'invalid' | 'forbidden', message: RegExp): Promise<void> {
  await rejectsWith(() => store.put(pointer, content), code, message);
  await rejectsWith(() => store.get(pointer), code, message);
  await rejectsWith(() => store.exists(pointer), code, message);
  await rejectsWith(() => store.properties(pointer), code, message);
  await rejectsWith(() => store.remove(pointer), code, message);
  await rejectsWith(() => store.createMultipart(pointer), code, message);
  await rejectsWith(() => store.copy(pointer, relative('copied')), code, message);
  await rejectsWith(() => store.copy(relative('source'), pointer), code, message);
}

before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'srv-block-paths-')));
  base = join(folder, 'base');
  for (const outside of ['base', 'base2', 'shared', 'shared2', 'secret']) {
    await mkdir(join(folder, outside));
    await writeFile(join(folder, outside, 'file'), outside);
  }
  store = await openLocalBlockStore({ path: base, allowedExternalPrefixes: [join(folder, 'shared')] });
  await store.put(relative('source'), content);
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('plain keys lie at base/namespace/key, in folders of mode 0750', async () => {
  for (const [namespace, key] of [
    ['local://repo', 'data/x/y'],
    ['local://bucket/deep/path/', '_srv/0123'],
    ['local://repo/namespace', 'subdir/nested/object.txt'],
    ['local://repo', '.hidden'],
  ] as const) {
    await store.put(relative(key, namespace), content);
    const path = join(base, namespace.slice('local://'.length), key);
    assert.deepEqual(await readFile(path), content);
    assert.equal(store.resolve(relative(key, namespace)), `local://${path}`);
  }
  assert.equal((await stat(join(base, 'repo/data/x'))).mode & 0o777, 0o750 & ~process.umask());
});

test('stores names that a file system cannot hold below .srv-keys', async () => {
  await store.put(relative('double//slash'), content);
  assert.deepEqual(await readFile(join(base, '.srv-keys', `=${Buffer.from('repo/namespace/double//slash').toString('hex')}`)), content);
});

for (const [size, bytes] of [
  ['small', 10],
  ['large', 1 << 20],
] as const)
  test(`a key moves to its plain place once that is free, and exists once: ${size} content`, async t => {
    const own = join(folder, `moving-${size}`);
    const open = (): Promise<BlockStore> => openLocalBlockStore({ path: own });
    let moving = await open();
    t.after(() => moving.close());
    const [old, newer] = [Buffer.alloc(bytes, 'old'), Buffer.alloc(bytes, 'newer')];
    for (const reopens of [false, true]) {
      const above = reopens ? 'reopened' : 'open';
      const key = `${above}/below`;
      const escaped = join(own, '.srv-keys', `=${Buffer.from(`repo/namespace/${key}`).toString('hex')}`);
      await moving.put(relative('elsewhere'), newer);
      await moving.put(relative(above), Buffer.from('file in the way'));
      await moving.put(relative(key), old);
      await moving.remove(relative(above));
      assert.deepEqual(await readFile(escaped), old);
      if (reopens) {
        await moving.close();
        moving = await open();
      }
      assert.deepEqual(await buffer(await moving.get(relative(key))), old);
      await moving.put(relative(key), newer);
      assert.deepEqual(await readFile(join(own, 'repo/namespace', key)), newer);
      await assert.rejects(readFile(escaped), { code: 'ENOENT' });
      await moving.remove(relative(key));
      assert.equal(await moving.exists(relative(key)), false);
    }
  });

test('paths that leave the namespace or the base are refused', async () => {
  const blocked = /bad path traversal blocked/;
  await refused(relative('x', 'local://../lakefs_evil'), 'invalid', blocked);
  await refused(relative('x', 'local://foo/../../etc'), 'invalid', blocked);
  await refused(relative('x', 'local://'), 'invalid', blocked);
  await refused(relative('x', 'local://.'), 'invalid', blocked);
  await refused(relative('x', 'local://..'), 'invalid', blocked);
  await refused(relative('../../../etc/passwd', 'local://valid/path'), 'invalid', blocked);
  await refused(relative('subdir/../../other/secret.txt', 'local://repo1/namespace'), 'invalid', blocked);
  await refused(relative('..', 'local://repo1/namespace'), 'invalid', blocked);
  await refused(full(`local://${base}/../secret/file`), 'invalid', blocked);
  await refused(full(`local://${folder}/shared/../secret/file`), 'invalid', blocked);
  await refused(full('local://relative/file'), 'invalid', blocked);
  await refused(relative(''), 'invalid', /missing object key/);
});

test('dots that stay inside name an object of their own, not another one', async () => {
  await store.put(relative('b'), Buffer.from('b'));
  assert.equal(await store.exists(relative('a/../b')), false);
  await store.put(relative('a/../b'), Buffer.from('dots'));
  assert.equal(await text(await store.get(relative('b'))), 'b');
  assert.equal(await text(await store.get(full(store.resolve(relative('a/../b'))))), 'dots');
});

test('the folders of the driver are out of reach', async () => {
  for (const [namespace, key] of [
    ['local://.srv-tmp', 'x'],
    ['local://.srv-keys', '=61'],
    ['local://repo', '.srv-uploads/x'],
  ] as const) {
    await store.put(relative(key, namespace), content);
    await assert.rejects(stat(join(base, namespace.slice('local://'.length), key)));
    assert.equal(await text(await store.get(relative(key, namespace))), 'content');
  }
});

test('absolute addresses are allowed below the base and the allowed prefixes only, at a folder boundary', async () => {
  assert.equal(await text(await store.get(full(`local://${base}/file`))), 'base');
  assert.equal(await text(await store.get(full(`local://${folder}/shared/file`))), 'shared');
  for (const outside of ['base2', 'shared2', 'secret'])
    await refused(full(`local://${folder}/${outside}/file`), 'forbidden', /forbidden; it lies neither below/);
  await refused(full('local:///etc/passwd'), 'forbidden', /allowed_external_prefixes/);
});

test('allowed prefixes are read-only', async () => {
  const pointer = full(`local://${folder}/shared/new`);
  for (const write of [
    () => store.put(pointer, content),
    () => store.remove(full(`local://${folder}/shared/file`)),
    () => store.createMultipart(pointer),
    () => store.copy(relative('source'), pointer),
  ]) {
    await rejectsWith(write, 'forbidden', /may only be read/);
  }
  assert.deepEqual(await readdir(join(folder, 'shared')), ['file']);
});

test('symbolic links do not lead out', async () => {
  const links = join(base, 'repo/namespace/links');
  await mkdir(links, { recursive: true });
  await symlink(join(folder, 'secret'), join(links, 'folder'));
  await symlink(join(folder, 'secret/file'), join(links, 'file'));
  const outside = /a symbolic link leads out/;
  for (const key of ['links/folder/file', 'links/file']) {
    await rejectsWith(() => store.get(relative(key)), 'forbidden', outside);
    await rejectsWith(() => store.exists(relative(key)), 'forbidden', outside);
    await rejectsWith(() => store.copy(relative(key), relative('copied')), 'forbidden', outside);
  }
  for (const key of ['links/folder/file', 'links/folder/new', 'links/folder/deep/new'])
    await rejectsWith(() => store.put(relative(key), content), 'forbidden', outside);
  await rejectsWith(() => store.remove(relative('links/folder/file')), 'forbidden', outside);
  await store.put(relative('links/file'), content);
  await store.remove(relative('links/file'));
  assert.deepEqual(await readdir(join(folder, 'secret')), ['file']);
  assert.equal(await readFile(join(folder, 'secret/file'), 'utf8'), 'secret');
});

test('symbolic links that stay inside are followed; one to an allowed prefix may be read', async () => {
  const links = join(base, 'repo/namespace/inner');
  await mkdir(join(links, 'real'), { recursive: true });
  await symlink(join(links, 'real'), join(links, 'alias'));
  await symlink(join(folder, 'shared'), join(links, 'shared'));
  await store.put(relative('inner/alias/x'), content);
  assert.deepEqual(await readFile(join(links, 'real/x')), content);
  assert.equal(await text(await store.get(relative('inner/shared/file'))), 'shared');
  await rejectsWith(() => store.put(relative('inner/shared/new'), content), 'forbidden');
});

test('a base folder that is a symbolic link itself works', async () => {
  await symlink(base, join(folder, 'alias'));
  const aliased = await openLocalBlockStore({ path: join(folder, 'alias') });
  await aliased.put(relative('through-alias'), content);
  assert.equal(await text(await store.get(relative('through-alias'))), 'content');
  assert.equal(aliased.resolve(relative('x')), `local://${folder}/alias/repo/namespace/x`);
  await aliased.close();
});

test('a file of the base folder keeps one address; objects that have another one can be read', async () => {
  const alias = join(folder, 'alias-of-base');
  await symlink(base, alias);
  await symlink(join(base, 'repo'), join(folder, 'shared/repo'));
  // The base folder under a name that is not its real one, and the other way round.
  for (const [path, address] of [
    [alias, `${base}/repo/namespace/source`],
    [base, `${alias}/repo/namespace/source`],
    [base, `${folder}/shared/repo/namespace/source`],
  ] as const) {
    const opened = await openLocalBlockStore({ path, allowedExternalPrefixes: [folder] });
    const own = `local://${path}/repo/namespace/source`;
    assert.equal(await text(await opened.get(full(own))), 'content');
    assert.equal(await text(await opened.get(full(`local://${address}`))), 'content');
    await opened.checkReadable?.(full(own));
    // A file that is not there yet has one address, too.
    for (const name of ['', '-new', '-new/deep'])
      await rejectsWith(
        async () => opened.checkReadable?.(full(`local://${address}${name}`)),
        'forbidden',
        new RegExp(`use ${own}${name}$`),
      );
    await opened.close();
  }
  await rm(join(folder, 'shared/repo'));
  await rm(alias);
});

test('new objects refer to what may be read only, whether it exists or not', async () => {
  const checks = (address: string) => async () => store.checkReadable?.(full(`local://${address}`));
  const links = join(base, 'repo/namespace/referred');
  await mkdir(links, { recursive: true });
  const [fromBase, fromPrefix] = [join(links, 'secret'), join(folder, 'shared/secret')];
  for (const link of [fromBase, fromPrefix]) {
    await symlink(join(folder, 'secret'), link);
    for (const name of ['', '/file', '/new', '/deep/new', '/file/below'])
      await rejectsWith(checks(link + name), 'forbidden', /a symbolic link leads out/);
    await rm(link);
    await symlink(join(folder, 'secret/file'), link);
    await rejectsWith(checks(link), 'forbidden', /a symbolic link leads out/);
    await rm(link);
  }
  for (const address of [`${links}/new`, `${links}/deep/new`, `${folder}/shared/file`, `${folder}/shared/deep/new`, `${folder}/shared`])
    await checks(address)();
  for (const start of [base, `${folder}/shared`])
    await rejectsWith(
      checks(start + '/a'.repeat(100_000)),
      'invalid',
      /^.{100}…: the path of 2\d{5} bytes is too long for the file system; at most 4095 are allowed$/,
    );
});

test('new objects may refer to an allowed prefix that is not there yet', async () => {
  const absent = join(folder, 'absent');
  const opened = await openLocalBlockStore({ path: base, allowedExternalPrefixes: [absent] });
  await opened.checkReadable?.(full(`local://${absent}/file`));
  await opened.close();
});

test('an allowed prefix may contain the base folder', async () => {
  const opened = await openLocalBlockStore({ path: base, allowedExternalPrefixes: [folder] });
  for (const name of ['secret/file', 'base/file', 'base2/file'])
    assert.equal(await text(await opened.get(full(`local://${folder}/${name}`))), name.split('/')[0]);
  await rejectsWith(() => opened.put(full(`local://${folder}/secret/new`), content), 'forbidden', /may only be read/);
  assert.equal(await opened.exists(full(`local://${base}`)), false);
  await opened.close();
});

test('rejects an invalid range', async () => {
  for (const range of [
    { start: -1, end: 3 },
    { start: 3, end: 2 },
  ])
    await rejectsWith(() => store.get(relative('source'), { range }), 'invalid', /are not a range/);
});
