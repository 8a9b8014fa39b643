/** The collector on every block store, against real servers. */
import assert from 'node:assert/strict';
import { readdir, rm, stat, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifierType } from '@srv/lib-stores/block';
import { NeedsError, startSrv } from '@srv/test-servers';
import { azuriteDomain, startAzurite } from '@srv/test-servers/azure';
import { startFakeGcsServer, startGs } from '@srv/test-servers/gs';
import { startS3 } from '@srv/test-servers/s3';
import { ageless, collect, daysAgo, temporaryFolder } from './fixture.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type { RunningSrv } from '@srv/test-servers';
import type { AzuriteServer } from '@srv/test-servers/azure';
import type { GsServer } from '@srv/test-servers/gs';
import type { S3Server } from '@srv/test-servers/s3';
import type {} from '../src/contract.js';

/** A store to collect in. */
interface Opened {
  readonly plugin: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly namespace: string;
  readonly close: () => Promise<void>;
}

const s3 = ({ url, accessKeyId, secretAccessKey, namespace, close }: S3Server): Opened => ({
  plugin: 'block-s3',
  config: {
    'blockstore.type': 's3',
    'blockstore.s3.endpoint': url,
    'blockstore.s3.force_path_style': true,
    'blockstore.s3.discover_bucket_region': false,
    'blockstore.s3.credentials.access_key_id': accessKeyId,
    'blockstore.s3.credentials.secret_access_key': secretAccessKey,
  },
  namespace: `${namespace}/collected`,
  close,
});
const gs = async (server: GsServer): Promise<Opened> => ({
  plugin: 'block-gs',
  config: {
    'blockstore.type': 'gs',
    'blockstore.gs.credentials_json': server.credentialsJson,
    'blockstore.gs.test_endpoint_url': server.url,
  },
  namespace: `${await server.createBucket('collected')}/repo`,
  close: () => server.close(),
});
const azure = async (server: AzuriteServer): Promise<Opened> => ({
  plugin: 'block-azure',
  config: {
    'blockstore.type': 'azure',
    'blockstore.azure.storage_account': server.account,
    'blockstore.azure.storage_access_key': server.accessKey,
    'blockstore.azure.domain': azuriteDomain,
    'blockstore.azure.test_endpoint_url': server.url,
  },
  namespace: `${await server.createContainer('collected')}/repo`,
  close: () => server.close(),
});

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  'a local folder': async () => ({ plugin: '', config: {}, namespace: 'local://collected', close: async () => {} }),
  memory: async () => ({
    plugin: 'block-mem',
    config: { 'blockstore.type': 'mem' },
    namespace: 'mem://bucket/collected',
    close: async () => {},
  }),
  'S3 (gateway)': async () => s3(await startS3('gateway')),
  'S3 (versitygw)': async () => s3(await startS3('versitygw')),
  'Azure (Azurite)': async () => azure(await startAzurite()),
  'Google (fake of this repository)': async () => gs(await startGs()),
  'Google (fake-gcs-server)': async () => gs(await startFakeGcsServer('memory')),
};

const id = 'collected';
const commit = { committer: 'tester', message: 'm' };
/** More than one request takes on Azure and Google. */
const lost = 300;

/** A server over the store, and a repository in it. */
async function open(t: TestContext, start: () => Promise<Opened>): Promise<(RunningSrv & { readonly cache: string }) | undefined> {
  let opened: Opened;
  try {
    opened = await start();
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    t.skip(`needs ${error.message}`);
    return undefined;
  }
  t.after(opened.close);
  const { plugin, config, namespace } = opened;
  const cache = await temporaryFolder(t);
  const server = await startSrv({
    plugins: ['gc', ...(plugin === '' ? [] : [plugin])],
    config: {
      ...ageless,
      'gc.cache_dir': cache,
      'gc.metadata_min_age': '0s',
      'gc.upload_expiry': '1ms',
      'gc.max_garbage_percent': 100,
      ...config,
    },
  });
  t.after(server.stop);
  await server.kernel.services.get('engine').createRepository({ id, storageNamespace: namespace });
  return { ...server, cache };
}

// Most of the time is spent waiting for the clock of a store to advance.
describe('the collector', { concurrency: 3 }, () => {
  for (const [name, start] of Object.entries(stores))
    it(`collects on ${name}`, async t => {
      const server = await open(t, start);
      if (!server) return;
      const { services } = server.kernel;
      const [catalog, gc, block] = [services.get('engine'), services.get('gc'), services.get('block')];
      const { storageNamespace: namespace } = await catalog.getRepository(id);
      const exists = (address: string): Promise<boolean> =>
        block.exists({ namespace, identifier: address, identifierType: identifierType.relative });
      const put = async (path: string): Promise<string> => (await catalog.putObject(id, 'main', path, Buffer.from(path))).address;
      await gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
      const expired = await put('expired');
      await catalog.commit(id, 'main', { ...commit, date: daysAgo(9) });
      await catalog.deleteObject(id, 'main', 'expired');
      const committed = await put('committed');
      const old = await catalog.commit(id, 'main', { ...commit, date: daysAgo(8) });
      const garbage: string[] = [];
      for (let at = 0; at < lost; at += 30)
        garbage.push(...(await Promise.all(Array.from({ length: 30 }, (_, i) => put(`lost ${at + i}`)))));
      await catalog.resetBranch(id, 'main', { type: 'all' });
      const staged = await put('staged');
      const upload = { namespace, identifier: catalog.allocateAddress(), identifierType: identifierType.relative };
      const { uploadId } = await block.createMultipart(upload);
      // Stores round times to seconds.
      await sleep(1100);

      const run = await collect(gc, id);
      // Where an upload is objects beside its target, these are garbage like others.
      const parts = block.openUploads ? 0 : 1;
      assert.deepEqual([run.phase, run.error, run.deleted, run.failures], ['done', undefined, lost + 1 + parts, 0]);
      assert.equal(run.abortedUploads, 1 - parts);
      assert.deepEqual(await Promise.all([expired, garbage[0] ?? '', garbage.at(-1) ?? ''].map(exists)), [false, false, false]);
      assert.deepEqual(await Promise.all([committed, staged].map(exists)), [true, true]);
      await assert.rejects(block.listParts(upload, uploadId), { code: 'not_found' });
      await assert.rejects(
        block.get({ namespace, identifier: expired, identifierType: identifierType.relative }),
        new RegExp(`collected as garbage by run ${run.id}`),
      );
      assert.equal((await catalog.list(id, old.id, { amount: 10 })).results.length, 1);

      const again = await put('again');
      await catalog.resetBranch(id, 'main', { type: 'all' });
      await sleep(1100);
      const second = await collect(gc, id, { quarantineDays: 1 });
      assert.deepEqual([second.deleted, await exists(again)], [2, false], 'staged was reset too');
      assert.equal(await gc.restore(id, second.id), 2);
      assert.deepEqual(await Promise.all([again, staged, committed].map(exists)), [true, true, true]);
      await catalog.deleteRepository(id);
      assert.ok((await gc.purge(namespace)) > 5);
    });
});

test('a local folder that has not changed is not listed again, and what commits no longer keep goes all the same', async t => {
  const server = await open(t, stores['a local folder'] ?? assert.fail);
  assert.ok(server);
  const { services } = server.kernel;
  const [catalog, gc, block] = [services.get('engine'), services.get('gc'), services.get('block')];
  const exists = (address: string): Promise<boolean> =>
    block.exists({ namespace: 'local://collected', identifier: address, identifierType: identifierType.relative });
  const put = async (path: string): Promise<string> => (await catalog.putObject(id, 'main', path, Buffer.from(path))).address;
  const data = join(server.folder, 'block', id, 'data');
  /** A folder that changed a moment ago is listed again. */
  const settle = async (seconds: number): Promise<void> => {
    for (const name of await readdir(data)) await utimes(join(data, name), seconds, seconds);
  };
  const first = await put('a');
  await catalog.commit(id, 'main', { ...commit, date: daysAgo(9) });
  await catalog.deleteObject(id, 'main', 'a');
  const second = await put('b');
  await catalog.commit(id, 'main', { ...commit, date: daysAgo(8) });
  await settle(1_000_000);
  for (let i = 0; i < 3; i++) {
    const run = await collect(gc, id);
    assert.deepEqual([run.listed, run.kept, run.candidates], [2, 2, 0]);
  }
  // The folder's time does not show it: the run counts what it remembers, and removes nothing because of it.
  await block.remove({ namespace: 'local://collected', identifier: second, identifierType: identifierType.relative });
  await settle(1_000_000);
  assert.equal((await collect(gc, id)).listed, 2);
  await settle(2_000_000);
  assert.equal((await collect(gc, id)).listed, 1);
  await gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
  const third = await put('c');
  await catalog.resetBranch(id, 'main', { type: 'all' });
  await settle(3_000_000);
  const run = await collect(gc, id);
  assert.deepEqual([run.listed, run.deleted, await exists(first), await exists(third)], [2, 2, false, false]);
});

test('lists that a power cut or a full disk left in pieces are made again', async t => {
  const server = await open(t, stores['a local folder'] ?? assert.fail);
  assert.ok(server);
  const { services } = server.kernel;
  const [catalog, gc] = [services.get('engine'), services.get('gc')];
  for (const path of ['a', 'b', 'c']) {
    await catalog.putObject(id, 'main', path, Buffer.from(path));
    await catalog.commit(id, 'main', commit);
  }
  const data = join(server.folder, 'block', id, 'data');
  for (const name of await readdir(data)) await utimes(join(data, name), 1_000_000, 1_000_000);
  const first = await collect(gc, id);
  assert.deepEqual([first.listed, first.kept, first.candidates], [3, 3, 0]);
  const files = (await readdir(server.cache, { recursive: true, withFileTypes: true })).filter(file => file.isFile());
  assert.ok(files.length > 5, 'ranges, their joined list and listings are kept');
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const { size } = await stat(path);
    for (const damage of [() => truncate(path, Math.floor(size / 2)), () => truncate(path, 0), () => rm(path)]) {
      await damage();
      const run = await collect(gc, id);
      assert.deepEqual([run.phase, run.error, run.listed, run.kept, run.deleted], ['done', undefined, 3, 3, 0], path);
      if (!(await stat(path).catch(() => undefined))) break;
    }
  }
});
