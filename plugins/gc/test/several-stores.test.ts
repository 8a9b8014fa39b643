/** Repositories in two stores of one server, through the API. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createClient } from '@srv/engine/client';
import { rejectsWith, until } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import type { TestContext } from 'node:test';
import type { Client } from '@srv/engine/client';
import type {} from '@srv/engine/contract';
import type { RunningSrv } from '@srv/test-servers';
import type {} from '../src/contract.js';

const single = [
  'blockstore.type',
  'blockstore.local.path',
  'blockstore.local.import_enabled',
  'blockstore.local.allowed_external_prefixes',
];

interface Started {
  readonly server: RunningSrv;
  readonly api: Client;
}

/** @param config beside the stores. */
async function start(t: TestContext, stores: unknown, config: Readonly<Record<string, unknown>> = {}): Promise<Started> {
  const none = Object.fromEntries(single.map(key => [key, undefined]));
  const server = await startSrv({
    plugins: ['blockstores', 'block-mem', 'gc', 'import', 'metrics'],
    config: {
      ...none,
      'blockstore.type': 'multiple',
      'blockstores.stores': stores,
      'gc.min_age': '0s',
      'gc.unsafe_min_age': true,
      ...config,
    },
  });
  t.after(() => server.stop());
  const api = createClient({ endpointUrl: server.url, retries: { enabled: false }, ...server.key });
  t.after(() => api.close());
  return { server, api };
}

const stores = (folder: string, isDefault = true): unknown => [
  { id: 'disk', description: 'a folder', backward_compatible: isDefault, type: 'local', local: { path: folder } },
  { id: 'ram', type: 'mem' },
];

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'srv-stores-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const commit = { committer: 'tester', message: 'm' };

test('a repository lies in the store of its id, objects and metadata alike', async t => {
  const folder = await folderOf(t);
  const { server, api } = await start(t, stores(folder));
  const engine = server.kernel.services.get('engine');
  const block = server.kernel.services.get('block');
  const created = await api.createRepository({ body: { name: 'films', storage_namespace: 'mem://films/repo', storage_id: 'ram' } });
  assert.equal(created.storage_id, 'ram');
  // The default store is meant where no id is given, and shown by its id.
  assert.equal((await api.createRepository({ body: { name: 'books', storage_namespace: 'local://books' } })).storage_id, 'disk');
  for (const repository of ['films', 'books']) {
    await engine.putObject(repository, 'main', 'a/b', Buffer.from(repository));
    await engine.commit(repository, 'main', commit);
    assert.equal(await text((await api.getObject({ repository, ref: 'main', path: 'a/b' })).body), repository);
  }
  const [entry] = (await api.listObjects({ repository: 'films', ref: 'main' })).results;
  assert.match(entry?.physical_address ?? '', /^mem:\/\/films\/repo\/data\//);
  assert.deepEqual(await readdir(folder).then(names => names.filter(name => !name.startsWith('.'))), ['books']);
  const found: string[] = [];
  for await (const page of block.walk('ram+mem://films/repo/'))
    found.push(...page.map(({ relativeKey }) => relativeKey.split('/')[0] ?? ''));
  assert.deepEqual([...new Set(found)].sort(), ['_srv', 'data']);
});

test('the configuration that clients read lists the stores', async t => {
  const { api } = await start(t, stores(await folderOf(t)));
  const { storage_config: only, storage_config_list: list = [] } = await api.getConfig({});
  assert.equal(only?.blockstore_type, 'local');
  assert.deepEqual(
    list.map(store => [store.blockstore_id, store.blockstore_description, store.blockstore_type]),
    [
      ['disk', 'a folder', 'local'],
      ['ram', '', 'mem'],
    ],
  );
});

test('refuses a store that is not there, a namespace of another kind of store, and one that is taken', async t => {
  const folder = await folderOf(t);
  const { api } = await start(t, stores(folder, false));
  const create = (name: string, storage_namespace: string, storage_id?: string): Promise<unknown> =>
    api.createRepository({ body: { name, storage_namespace, storage_id } });
  await assert.rejects(create('a-repo', 'mem://x', 'tape'), /storage id: invalid value: "tape"; choose one of disk, ram/);
  // No store is marked as the one of repositories without an id.
  await assert.rejects(create('a-repo', 'mem://x'), /storage id: invalid value: ""; choose one of disk, ram/);
  await assert.rejects(create('a-repo', 'local://x', 'ram'), /failed to match required regex/);
  await create('a-repo', 'mem://x/one', 'ram');
  await assert.rejects(create('b-repo', 'mem://x/one/below', 'ram'), /already in use/);
});

test('garbage of a repository is collected in its store', async t => {
  const { server } = await start(t, stores(await folderOf(t)), { 'gc.cache_dir': await folderOf(t) });
  const { services } = server.kernel;
  const [engine, block, gc] = [services.get('engine'), services.get('block'), services.get('gc')];
  await engine.createRepository({ id: 'films', storageNamespace: 'mem://films', storageId: 'ram' });
  const kept = await engine.putObject('films', 'main', 'kept', Buffer.from('kept'));
  const lost = await engine.putObject('films', 'main', 'lost', Buffer.from('lost'));
  await engine.deleteObject('films', 'main', 'lost');
  await engine.commit('films', 'main', commit);
  const run = await gc.start('films', { mode: 'run' });
  await until(async () => ['done', 'failed'].includes((await gc.getRun('films', run)).phase));
  const { phase, deleted, error } = await gc.getRun('films', run);
  assert.deepEqual([phase, deleted, error], ['done', 1, undefined]);
  const exists = (identifier: string): Promise<boolean> => block.exists({ namespace: 'ram+mem://films', identifier, identifierType: 1 });
  assert.deepEqual([await exists(kept.address), await exists(lost.address)], [true, false]);
});

test('an address given out before a move to another store is refused after it, and the old namespace is purged', async t => {
  const folder = await folderOf(t);
  const cached = { 'graveler.reposiory_cache.ttl': '50ms', 'graveler.reposiory_cache.jitter': '0s' };
  const { server, api } = await start(t, stores(folder), { 'gc.cache_dir': await folderOf(t), ...cached });
  const engine = server.kernel.services.get('engine');
  const films = { repository: 'films', branch: 'main' };
  await api.createRepository({ body: { name: 'films', storage_namespace: 'local://films' } });
  await engine.putObject('films', 'main', 'a', Buffer.from('a'));
  const staging = await api.getPhysicalAddress({ ...films, path: 'b' });
  await assert.rejects(api.getStorageMove({ repository: 'films' }), /films is not being moved/);
  await api.startStorageMove({ repository: 'films', body: { storage_id: 'ram', storage_namespace: 'mem://films' } });
  await assert.rejects(server.kernel.services.get('gc').purge('mem://films', 'ram'), /overlaps/);
  const { phase, copied_objects: copied } = await until(async () => {
    const move = await api.getStorageMove({ repository: 'films' });
    return !move.running && move;
  });
  assert.equal(phase, 'done');
  assert.ok(copied > 0);
  assert.equal((await api.getRepository({ repository: 'films' })).storage_id, 'ram');
  await assert.rejects(
    api.linkPhysicalAddress({ ...films, path: 'b', body: { staging, checksum: 'x', size_bytes: 1 } }),
    /was given out before the repository moved to another storage namespace; upload the object again/,
  );
  assert.ok((await server.kernel.services.get('gc').purge('local://films', 'disk')) > 0);
  assert.equal(await text((await api.getObject({ repository: 'films', ref: 'main', path: 'a' })).body), 'a');
});

test('references are dumped to the store of the repository, and restored from there', async t => {
  const { server } = await start(t, stores(await folderOf(t)));
  const engine = server.kernel.services.get('engine');
  await engine.createRepository({ id: 'films', storageNamespace: 'mem://films', storageId: 'ram' });
  await engine.putObject('films', 'main', 'x', Buffer.from('x'));
  await engine.commit('films', 'main', commit);
  const api = createClient({ endpointUrl: server.url, retries: { enabled: false }, ...server.key });
  t.after(() => api.close());
  const dump = await api.dumpRefs({ repository: 'films' });
  const manifest = await server.kernel.services
    .get('block')
    .get({ namespace: 'ram+mem://films', identifier: '_srv/refs_manifest.json', identifierType: 1 });
  assert.deepEqual(JSON.parse(await text(manifest)), { ...dump, repository: { storage_id: 'ram' } });
  await api.deleteRepository({ repository: 'films' });
  await api.createRepository({ bare: true, body: { name: 'films', storage_namespace: 'mem://films', storage_id: 'ram' } });
  await api.restoreRefs({ repository: 'films', body: dump });
  assert.equal((await engine.getEntry('films', 'main', 'x')).size, 1);
});

test('the server does not start while a repository belongs to a store that is not configured', async t => {
  const [folder, kv] = [await folderOf(t), await folderOf(t)];
  const keeping = { 'database.local.path': join(kv, 'kv') };
  const first = await startSrv({
    plugins: ['blockstores', 'block-mem'],
    config: { 'blockstore.type': 'multiple', 'blockstores.stores': stores(folder), ...keeping },
  });
  await first.kernel.services.get('engine').createRepository({ id: 'films', storageNamespace: 'mem://films', storageId: 'ram' });
  await first.stop();
  const without = [{ id: 'disk', type: 'local', local: { path: folder } }];
  await rejectsWith(
    () => startSrv({ plugins: ['blockstores'], config: { 'blockstore.type': 'multiple', 'blockstores.stores': without, ...keeping } }),
    'config',
    /films \(ram\); blockstores.stores has disk; add the missing store/,
  );
  await rejectsWith(() => startSrv({ config: keeping }), 'config', /films \(ram\); this server has a single blockstore/);
});
