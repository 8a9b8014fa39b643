/** Branches of which one has tables at addresses of the store, and the other at those of the gateway. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startS3 } from '@srv/test-servers/s3';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import type { S3Server } from '@srv/test-servers/s3';
import type { CatalogServer } from './support/server.js';

const by = { committer: 'test' };
let store: S3Server;
let server: CatalogServer;
let data: TableData;
before(async () => {
  store = await startS3();
  const values = {
    'blockstore.local.path': undefined,
    'blockstore.type': 's3',
    'blockstore.s3.endpoint': store.url,
    'blockstore.s3.force_path_style': true,
    'blockstore.s3.discover_bucket_region': false,
    'blockstore.s3.credentials.access_key_id': store.accessKeyId,
    'blockstore.s3.credentials.secret_access_key': store.secretAccessKey,
  };
  server = await startCatalog(values, ['block-s3'], `${store.namespace}/lake`);
  data = new TableData(server);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(async () => {
  await server?.stop();
  await store?.close();
});

const sales = namespacePath('lake', 'main', 'sales');
const commit = (ref: string) => server.engine.commit('lake', ref, { ...by, message: ref });
const folders = (): Record<string, string> => ({ gateway: 's3://lake/.tables/', store: `${store.namespace}/lake/tables/` });

async function append(ref: string, name: string, file: string): Promise<void> {
  const { location } = (await data.load({ ref, name })).metadata;
  await data.append({ ref, name }, [`${location}/data/${file}`]);
}

/** A table with one file on main and on a branch of its name. */
async function branched(name: string): Promise<void> {
  const { status, body } = await server.call('POST', `${sales}/tables`, { body: { name, schema } });
  assert.equal(status, 200, body);
  await append('main', name, 'base');
  await commit('main');
  await server.engine.createBranch('lake', name, 'main');
}

async function rewrite(ref: string, locations: string): Promise<void> {
  const path = `/api/v1/repositories/lake/branches/${ref}/iceberg/rewrite`;
  const { status, body } = await server.call('POST', path, { body: { locations } });
  assert.equal(status, 200, body);
  for (const { problem } of (JSON.parse(body) as { results: { problem?: string }[] }).results) assert.equal(problem, undefined);
  await commit(ref);
}

/** All that the table on main names begins with an address of the kind. */
async function demandAt(name: string, locations: string, files: readonly string[]): Promise<void> {
  const { location, metadata } = await data.load({ ref: 'main', name });
  const manifests = await Promise.all(metadata.snapshots.map(snapshot => data.manifests(snapshot)));
  const lists = metadata.snapshots.map(snapshot => String(snapshot['manifest-list']));
  for (const address of [location, metadata.location, ...lists, ...manifests.flat().map(({ path }) => path)])
    assert.ok(address.startsWith(String(folders()[locations])), address);
  const read = await data.filesAt({ ref: 'main', name });
  assert.deepEqual(
    read,
    files.map(file => `${metadata.location}/data/${file}`),
  );
}

for (const [moved, name] of [
  ['destination', 'first'],
  ['source', 'second'],
] as const)
  test(`where the addresses of the ${moved} were rewritten, appends of the other side merge once that is, too`, async () => {
    await branched(name);
    const [rewritten, other] = moved === 'destination' ? ['main', name] : [name, 'main'];
    await rewrite(rewritten, 'store');
    await append(other, name, 'more');
    await commit(other);
    const merge = () => server.engine.merge('lake', name, 'main', by);
    await assert.rejects(merge(), (error: Error) => {
      for (const part of [`table sales.${name}: `, ...Object.values(folders()), 'cli iceberg rewrite srv://', '--locations'])
        assert.ok(error.message.includes(part), error.message);
      return true;
    });
    await rewrite(other, 'store');
    await merge();
    await demandAt(name, 'store', ['base', 'more']);
    await rewrite('main', 'gateway');
    await demandAt(name, 'gateway', ['base', 'more']);
  });

test('a table without snapshots takes the addresses that the source has', async () => {
  await server.call('POST', `${sales}/tables`, { body: { name: 'bare', schema } });
  await commit('main');
  await server.engine.createBranch('lake', 'bare', 'main');
  await rewrite('bare', 'store');
  await data.update({ ref: 'main', name: 'bare' }, [{ action: 'set-properties', updates: { owner: 'ann' } }]);
  await commit('main');
  await server.engine.merge('lake', 'bare', 'main', by);
  await append('main', 'bare', 'one');
  await demandAt('bare', 'store', ['one']);
});

test('a writer under way while the addresses of its table change is refused, and says where to write', async () => {
  await branched('writer');
  const { metadata } = await data.load({ ref: 'writer', name: 'writer' });
  await rewrite('writer', 'store');
  const id = 77;
  const snapshot = {
    'snapshot-id': id,
    'sequence-number': 2,
    'timestamp-ms': Date.now(),
    'parent-snapshot-id': metadata['current-snapshot-id'],
    'manifest-list': `${metadata.location}/metadata/snap-77.avro`,
    summary: { operation: 'append' },
  };
  const late = data.update({ ref: 'writer', name: 'writer' }, [{ action: 'add-snapshot', snapshot }]);
  await assert.rejects(late, /^Error: 400 .*snap-77\.avro.* is not a file of the table; write it below s3:\/\/suite-bucket\//);
});
