/** One server over stores of different kinds: a folder, S3 and Azure. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { until } from '@srv/kernel/testing';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { NeedsError, startSrv } from '@srv/test-servers';
import { azuriteDomain, startAzurite } from '@srv/test-servers/azure';
import { noGateway, startS3 } from '@srv/test-servers/s3';
import { ageless, collect } from './fixture.js';
import type {} from '@srv/engine/contract';
import type { RunningSrv } from '@srv/test-servers';
import type { AzuriteServer } from '@srv/test-servers/azure';
import type { S3Server } from '@srv/test-servers/s3';
import type {} from '../src/contract.js';

const commit = { committer: 'tester', message: 'm' };

/** Two servers of other authors, and ours over both. */
interface Stores {
  readonly s3: S3Server;
  readonly azure: AzuriteServer;
  readonly srv: RunningSrv;
  readonly namespaces: Readonly<Record<'disk' | 'cloud' | 'blue', string>>;
  close(): Promise<void>;
}

async function openStores(cache: string): Promise<Stores> {
  const s3 = await startS3('versitygw');
  const azure = await startAzurite();
  const single = ['blockstore.local.path', 'blockstore.local.import_enabled', 'blockstore.local.allowed_external_prefixes'];
  const srv = await startSrv({
    plugins: ['blockstores', 'block-s3', 'block-azure', 'gc', 'gateway-s3'],
    config: {
      ...ageless,
      ...Object.fromEntries(single.map(key => [key, undefined])),
      'gc.cache_dir': cache,
      'graveler.reposiory_cache.ttl': '100ms',
      'graveler.reposiory_cache.jitter': '0s',
      'blockstore.type': 'multiple',
      'blockstores.stores': JSON.stringify([
        { id: 'disk', backward_compatible: true, type: 'local', local: { path: `${cache}/disk` } },
        {
          id: 'cloud',
          type: 's3',
          s3: {
            endpoint: s3.url,
            force_path_style: true,
            discover_bucket_region: false,
            credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
          },
        },
        {
          id: 'blue',
          type: 'azure',
          azure: {
            storage_account: azure.account,
            storage_access_key: azure.accessKey,
            domain: azuriteDomain,
            test_endpoint_url: azure.url,
          },
        },
      ]),
    },
  });
  const namespaces = { disk: 'local://lake', cloud: `${s3.namespace}/lake`, blue: `${await azure.createContainer('lake')}/lake` };
  return {
    s3,
    azure,
    srv,
    namespaces,
    async close() {
      await srv.stop();
      await Promise.allSettled([s3.close(), azure.close()]);
    },
  };
}

let lacks = '';
try {
  await (await startS3('versitygw')).close();
} catch (error) {
  if (!(error instanceof NeedsError)) throw error;
  lacks = `needs ${error.message}`;
}

describe('stores of different kinds in one server', { skip: lacks || noGateway }, () => {
  let stores: Stores;
  let cache: string;
  const repositories = ['disk', 'cloud', 'blue'] as const;
  before(async () => {
    cache = await mkdtemp(join(tmpdir(), 'srv-several-'));
    stores = await openStores(cache);
    const { engine } = parts();
    for (const id of repositories) await engine.createRepository({ id, storageNamespace: stores.namespaces[id], storageId: id });
  });
  after(async () => {
    await stores?.close();
    await rm(cache, { recursive: true, force: true, maxRetries: 5 });
  });

  const parts = () => {
    const { services } = stores.srv.kernel;
    return { engine: services.get('engine'), gc: services.get('gc'), block: services.get('block') };
  };
  const read = async (repository: string, path: string): Promise<string> => {
    const { engine } = parts();
    return (await buffer(await engine.open(repository, await engine.getEntry(repository, 'main', path)))).toString();
  };

  it('objects and metadata lie in the store of their repository, as another client sees it', async () => {
    const { engine, block } = parts();
    for (const id of repositories) {
      await engine.putObject(id, 'main', 'a/b', Buffer.from(`in ${id}`));
      await engine.commit(id, 'main', commit);
      assert.equal(await read(id, 'a/b'), `in ${id}`);
      const { address } = await engine.getEntry(id, 'main', 'a/b');
      const at = (namespace: string) => ({ namespace, identifier: address, identifierType: identifierType.relative });
      for (const other of repositories) {
        const namespace = namespaceOf({ storageId: other, storageNamespace: stores.namespaces[other] });
        assert.equal(await block.exists(at(namespace)), other === id, `${id} in ${other}`);
      }
    }
    const { S3Client, ListObjectsV2Command } = await import('@aws-sdk/client-s3');
    const client = new S3Client({
      endpoint: stores.s3.url,
      forcePathStyle: true,
      region: 'us-east-1',
      credentials: { accessKeyId: stores.s3.accessKeyId, secretAccessKey: stores.s3.secretAccessKey },
    });
    const [, , bucket = ''] = stores.s3.namespace.split('/');
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    client.destroy();
    assert.ok(Contents.some(({ Key = '' }) => Key.includes('lake/data/')));
    assert.ok(Contents.some(({ Key = '' }) => Key.includes('lake/_srv/')));
  });

  it('objects of 12 MiB are copied between all of them', async () => {
    const { engine, block } = parts();
    const body = randomBytes(12 << 20);
    const where = async (id: (typeof repositories)[number], path: string) => ({
      namespace: namespaceOf(await engine.getRepository(id)),
      identifier: (await engine.getEntry(id, 'main', path)).address,
      identifierType: identifierType.relative,
    });
    for (const from of repositories) {
      await engine.putObject(from, 'main', 'large', body);
      for (const to of repositories) {
        const target = {
          ...(await where(from, 'large')),
          namespace: namespaceOf(await engine.getRepository(to)),
          identifier: `data/from-${from}`,
        };
        await block.copy(await where(from, 'large'), target);
        assert.ok(body.equals(await buffer(await block.get(target))), `${from} to ${to}`);
        await block.remove(target);
      }
    }
  });

  it('garbage is collected in each, and references come back from each', async () => {
    const { engine, gc, block } = parts();
    for (const id of repositories) {
      const lost = await engine.putObject(id, 'main', 'lost', Buffer.from('lost'));
      await engine.deleteObject(id, 'main', 'lost');
      // Stores round times to seconds.
      await sleep(1100);
      const { phase, error, deleted } = await collect(gc, id);
      assert.deepEqual([phase, error], ['done', undefined], id);
      assert.ok(deleted >= 1, id);
      const { storageNamespace, storageId } = await engine.getRepository(id);
      const pointer = {
        namespace: namespaceOf({ storageNamespace, storageId }),
        identifier: lost.address,
        identifierType: lost.addressType,
      };
      assert.equal(await block.exists(pointer), false);
      const api = createClient({ endpointUrl: stores.srv.url, retries: { enabled: false }, ...stores.srv.key });
      const dump = await api.dumpRefs({ repository: id });
      await api.deleteRepository({ repository: id });
      await api.createRepository({ bare: true, body: { name: id, storage_namespace: storageNamespace, storage_id: storageId } });
      await api.restoreRefs({ repository: id, body: dump });
      api.close();
      assert.equal(await read(id, 'a/b'), `in ${id}`);
    }
  });

  it('a repository moves from each kind to the next, and is collected before and after', async () => {
    const { engine, gc, block } = parts();
    const large = randomBytes(12 << 20);
    await engine.createRepository({ id: 'nomad', storageNamespace: 'local://nomad', storageId: 'disk' });
    await engine.putObject('nomad', 'main', 'large', large);
    await engine.commit('nomad', 'main', commit);
    const places = [
      { storageId: 'cloud', storageNamespace: `${stores.s3.namespace}/nomad` },
      { storageId: 'blue', storageNamespace: stores.namespaces.blue.replace(/lake$/, 'nomad') },
      { storageId: 'disk', storageNamespace: 'local://home' },
    ];
    for (const place of places) {
      const from = await engine.getRepository('nomad');
      await engine.putObject('nomad', 'main', `to ${place.storageId}`, Buffer.from('staged'));
      const lost = await engine.putObject('nomad', 'main', 'lost', Buffer.from('lost'));
      await engine.startStorageMove('nomad', place);
      const move = await until(async () => {
        const move = await engine.storageMove('nomad');
        return !move.isRunning && move;
      });
      assert.deepEqual([move.phase, move.error], ['done', '']);
      assert.ok(move.copiedBytes > large.length);
      const now = await until(async () => {
        const now = await engine.getRepository('nomad');
        return now.frozenBy === undefined && now.storageId === place.storageId && now;
      });
      // The old namespace is not needed any more.
      assert.ok((await gc.purge(from.storageNamespace, from.storageId)) > 0);
      assert.ok(large.equals(await buffer(await engine.open('nomad', await engine.getEntry('nomad', 'main', 'large')))));
      assert.equal(await read('nomad', `to ${place.storageId}`), 'staged');
      await engine.deleteObject('nomad', 'main', 'lost');
      await engine.commit('nomad', 'main', commit);
      await sleep(1100);
      const { phase, error } = await collect(gc, 'nomad');
      assert.deepEqual([phase, error], ['done', undefined]);
      const gone = { namespace: namespaceOf(now), identifier: lost.address, identifierType: lost.addressType };
      assert.equal(await block.exists(gone), false);
    }
    for (const { storageId } of places) assert.equal(await read('nomad', `to ${storageId}`), 'staged');
  });

  it('while a store is down, the others serve', async () => {
    const { engine } = parts();
    await stores.s3.close();
    await assert.rejects(engine.putObject('cloud', 'main', 'x', Buffer.from('x')));
    for (const id of ['disk', 'blue']) {
      await engine.putObject(id, 'main', 'meanwhile', Buffer.from('x'));
      await engine.commit(id, 'main', commit);
      assert.equal(await read(id, 'meanwhile'), 'x');
    }
  });
});
