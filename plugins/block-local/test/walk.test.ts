import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';
import { compareBytes } from '../src/server/walk/walk.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

let folder = '';
const stores: BlockStore[] = [];
const open = async (options: { importEnabled?: boolean; importHidden?: boolean }): Promise<BlockStore> => {
  const store = await openLocalBlockStore({ path: join(folder, 'base'), allowedExternalPrefixes: [join(folder, 'shared')], ...options });
  stores.push(store);
  return store;
};
const keys = async (store: BlockStore, uri: string): Promise<string[]> => (await collect(store.walk(uri))).map(o => o.relativeKey);

before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'srv-block-walk-')));
  for (const path of [
    'shared/a.txt',
    'shared/a/b',
    'shared/a/c/d',
    'shared/.hidden',
    'shared/.folder/x',
    'shared/é',
    'secret/x',
    'shared2/x',
  ]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
  await symlink(join(folder, 'secret'), join(folder, 'shared/link'));
  await symlink(join(folder, 'secret/x'), join(folder, 'shared/link-file'));
});
after(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('an external folder: byte order, neither hidden names nor symbolic links', async () => {
  const store = await open({ importEnabled: true });
  for (const uri of [`local://${folder}/shared`, `local://${folder}/shared/`])
    assert.deepEqual(await keys(store, uri), ['a.txt', 'a/b', 'a/c/d', 'é']);
  const [first] = await collect(store.walk(`local://${folder}/shared/a/`));
  assert.equal(first?.address, `local://${folder}/shared/a/b`);
  assert.equal(first?.size, 'shared/a/b'.length);
});

test('a name that is not UTF-8 ends the walk of an external folder, since a part of it would be missing', async () => {
  const store = await open({ importEnabled: true });
  const outside = join(folder, 'shared/old');
  const bytes = (name: string): Buffer => Buffer.concat([Buffer.from(`${outside}/`), Buffer.from(name, 'latin1')]);
  await mkdir(outside);
  await writeFile(join(outside, 'a\u{fffd}'), 'the character itself');
  await writeFile(bytes('.caf\xe9'), 'hidden');
  await symlink('nowhere', bytes('link\xe9'));
  assert.deepEqual(await keys(store, `local://${outside}/`), ['a\u{fffd}']);
  await mkdir(bytes('caf\xe9'));
  await rejectsWith(
    () => keys(store, `local://${folder}/shared/`),
    'invalid',
    /shared\/old\/caf\ufffd: the name is not valid UTF-8.*rename/,
  );
  await rm(bytes('caf\xe9'), { recursive: true });
  await writeFile(bytes('z\xff'), 'x');
  await rejectsWith(() => keys(store, `local://${folder}/shared/`), 'invalid', /old\/z\ufffd: the name is not valid UTF-8/);
  await rm(outside, { recursive: true });
});

test('a folder that shows the base folder under other names is not walked', async () => {
  const path = (...names: string[]): string => join(folder, 'aliases', ...names);
  for (const name of ['disk/data/ns/_srv/x', 'disk/other/x', 'links/real/x']) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), name);
  }
  await symlink(path('disk/data'), path('data'));
  await symlink(path('disk'), path('links/disk'));
  await symlink(path('disk/data/ns'), path('links/ns'));
  const walking = async (base: string, ...names: string[]): Promise<string[]> => {
    const store = await openLocalBlockStore({ path: base, allowedExternalPrefixes: [folder], importEnabled: true });
    try {
      return await keys(store, `local://${path(...names)}`);
    } finally {
      await store.close();
    }
  };
  for (const name of ['disk/data', 'disk/data/', 'disk/data/ns/', 'disk/data/ns/_srv/x', 'links/ns/', 'links/ns/_srv/x'])
    await rejectsWith(() => walking(path('data'), name), 'forbidden', new RegExp(`; it leads into .*; use local://${path('data')}`));
  for (const name of ['disk', 'disk/', 'links/disk/', ''])
    await rejectsWith(
      () => walking(path('data'), name),
      'forbidden',
      new RegExp(`; it contains the .* ${path('disk/data')}, .*narrower folder`),
    );
  await rejectsWith(() => walking(path('disk/data'), 'links/disk/'), 'forbidden', /it contains the/);
  await rejectsWith(() => walking(path('disk/data'), 'data/'), 'forbidden', /it leads into/);
  for (const base of ['data', 'disk/data']) {
    assert.deepEqual(await walking(path(base), 'disk/other/'), ['x']);
    assert.deepEqual(await walking(path(base), 'links/'), ['real/x']);
    assert.deepEqual(await walking(path(base), base, 'ns/'), ['_srv/x']);
  }
  // The base folder by its own name.
  assert.deepEqual(await walking(path('disk/data'), 'disk/'), ['data/ns/_srv/x', 'other/x']);
});

test('slashes after the base folder name other objects than those at plain places', async () => {
  const store = await open({});
  const pointer: ObjectPointer = { namespace: 'local://slashes', identifier: 'x', identifierType: identifierType.relative };
  await store.put(pointer, Buffer.from('x'));
  assert.deepEqual(await keys(store, `local://${folder}/base//`), []);
  assert.deepEqual(await keys(store, `local://${folder}/base//slashes/`), []);
  assert.deepEqual(await keys(store, `local://${folder}/base/slashes//`), []);
  await store.remove(pointer);
});

test('names that continue one another are in byte order, wherever the folders of escaped names end', async () => {
  const store = await openLocalBlockStore({ path: join(folder, 'orders') });
  // Filled to that many bytes of the whole name, of which each 100 are a folder. The slash at its beginning makes it an escaped one.
  const filled = (name: string, bytes: number): string => name + 'k'.repeat(Math.max(0, bytes - Buffer.byteLength(`order/${name}`)));
  const names = [1, 2, 3].flatMap(folders =>
    ['a', '~', 'é', '\u{10ffff}'].flatMap(first =>
      [-1, 0, 1].flatMap(more => {
        const name = filled(filled('/', 100 * (folders - 1)) + first, 100 * folders + more);
        return ['', '\u0001', 'z', 'é'].map(end => name + end);
      }),
    ),
  );
  const sorted = [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const identifier of sorted)
    await store.put({ namespace: 'local://order', identifier, identifierType: identifierType.relative }, Buffer.from('x'));
  assert.deepEqual(await keys(store, `local://${folder}/orders/order/`), sorted);
  await store.close();
});

test('import_hidden shows hidden names', async () => {
  const store = await open({ importEnabled: true, importHidden: true });
  assert.deepEqual(await keys(store, `local://${folder}/shared`), ['.folder/x', '.hidden', 'a.txt', 'a/b', 'a/c/d', 'é']);
});

test('one file is walked under its own name', async () => {
  const store = await open({ importEnabled: true });
  const [only, ...rest] = await collect(store.walk(`local://${folder}/shared/a/b`));
  assert.deepEqual([only?.relativeKey, only?.address, rest.length], ['b', `local://${folder}/shared/a/b`, 0]);
});

test('refusals name their reason', async () => {
  const store = await open({ importEnabled: true });
  await rejectsWith(() => keys(store, `local://${folder}/secret`), 'forbidden', /allowed_external_prefixes/);
  await rejectsWith(() => keys(store, `local://${folder}/shared2`), 'forbidden');
  await rejectsWith(() => keys(store, `local://${folder}/shared/link/`), 'forbidden', /symbolic link/);
  await rejectsWith(() => keys(store, `local://${folder}/shared/nowhere`), 'not_found', /no such folder/);
  await rejectsWith(() => keys(store, 'local://relative'), 'invalid', /bad path/);
  await rejectsWith(() => keys(store, `local://${folder}/shared/../secret`), 'invalid', /bad path/);
  await rejectsWith(() => keys(store, 's3://bucket/x'), 'invalid');
  await rejectsWith(async () => keys(await open({}), `local://${folder}/shared`), 'unsupported', /set blockstore.local.import_enabled/);
});

test('the store itself is walked without import_enabled, its own folders left out', async () => {
  const store = await open({});
  const names = ['data/x', 'data//y', 'data', 'data/z/', `${'n'.repeat(300)}`, 'data/.hidden//x'];
  for (const identifier of names)
    await store.put({ namespace: 'local://repo', identifier, identifierType: identifierType.relative }, Buffer.from(identifier));
  await store.createMultipart({ namespace: 'local://repo', identifier: 'upload', identifierType: identifierType.relative });
  const expected = names.filter(n => !n.includes('.hidden')).sort(compareBytes);
  assert.deepEqual(await keys(store, `local://${folder}/base/repo/`), expected);
  assert.deepEqual(
    await keys(store, `local://${folder}/base`),
    expected.map(n => `repo/${n}`),
  );
  assert.deepEqual(await keys(store, `local://${folder}/base/repo/data/`), ['/y', 'x', 'z/']);
});

test('the order of keys is the order of their bytes', () => {
  const names = ['a', 'é', '\uffee', '😀', 'z', '\ud7ff', 'a/', 'a.'];
  assert.deepEqual(
    [...names].sort(compareBytes),
    [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
});

test('a walk asks about folders that rest, by a text that changes with what is in them', async () => {
  const store = await open({});
  const uri = `local://${join(folder, 'base', 'known')}/`;
  const put = (key: string) =>
    store.put({ namespace: 'local://known', identifier: key, identifierType: identifierType.relative }, Buffer.from(key));
  for (const key of ['top', 'one/a', 'one/b', 'two/c']) await put(key);
  const asked = new Map<string, string>();
  const walk = async (known: readonly string[] = []): Promise<string[]> => {
    asked.clear();
    const isKnown = (name: string, state: string): boolean => {
      asked.set(name, state);
      return known.includes(name);
    };
    return (await collect(store.walk(uri, { facts: false, isKnown }))).map(o => o.relativeKey);
  };
  const rest = (name: string, seconds: number) => utimes(join(folder, 'base', 'known', name), seconds, seconds);
  assert.deepEqual(await walk(['one/', 'two/']), ['one/a', 'one/b', 'top', 'two/c'], 'what changed a moment ago may change again unseen');
  assert.equal(asked.size, 0);
  await Promise.all([rest('one', 1000), rest('two', 1000)]);
  assert.deepEqual(await walk(['one/']), ['top', 'two/c']);
  const before = asked.get('one/');
  assert.deepEqual([...asked.keys()], ['one/', 'two/']);
  await put('one/c');
  await rest('one', 2000);
  await walk();
  assert.notEqual(asked.get('one/'), before);
});
