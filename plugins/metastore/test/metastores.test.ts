/** Both kinds of metastores behave alike, and say on the wire what their services expect. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGlue } from '@srv/test-servers/glue';
import { startHive } from '@srv/test-servers/hive';
import { GlueMetastore } from '../src/glue/metastore.js';
import { HiveMetastore } from '../src/hive/metastore.js';
import { MetastoreError } from '../src/metastore.js';
import { allPartitions, fill, samplePartition, sampleTable, valuesOf } from './sample.js';
import type { TestContext } from 'node:test';
import type { Metastore } from '../src/metastore.js';

const forever = new AbortController().signal;
const isKind = (kind: MetastoreError['kind']) => (error: unknown) => error instanceof MetastoreError && error.kind === kind;

async function hive(t: TestContext) {
  const server = await startHive();
  const metastore = new HiveMetastore(server.address, forever);
  t.after(async () => {
    metastore.close();
    await server.close();
  });
  return { server, metastore };
}

async function glue(t: TestContext) {
  const server = await startGlue();
  const credentials = { accessKeyId: server.accessKeyId, secretAccessKey: 'secret' };
  const client = { endpoint: server.url, region: 'us-east-1', credentials };
  const metastore = new GlueMetastore({ catalogId: '', client, signal: forever });
  t.after(async () => {
    metastore.close();
    await server.close();
  });
  return { server, metastore };
}

const kinds: readonly (readonly [string, (t: TestContext) => Promise<{ readonly metastore: Metastore }>])[] = [
  ['hive', hive],
  ['glue', glue],
];

for (const [kind, open] of kinds) {
  describe(kind, () => {
    it('keeps databases and tables as they were given', async t => {
      const { metastore } = await open(t);
      assert.equal(await metastore.getDatabase('dev'), undefined);
      assert.equal(await metastore.getTable('dev', 'events'), undefined);
      await metastore.createDatabase({ name: 'dev', description: 'd', locationUri: 's3a://lakes/dev', parameters: { p: 'q' } });
      await assert.rejects(metastore.createDatabase({ name: 'dev' }), isKind('exists'));
      assert.deepEqual(await metastore.getDatabase('dev'), {
        name: 'dev',
        description: 'd',
        locationUri: 's3a://lakes/dev',
        parameters: { p: 'q' },
      });
      const table = sampleTable('dev', 'events');
      await metastore.createTable(table);
      await assert.rejects(metastore.createTable(table), isKind('exists'));
      const { createTime, ...kept } = (await metastore.getTable('dev', 'events')) ?? {};
      assert.deepEqual(kept, table);
      await metastore.alterTable({ ...table, owner: 'bob' });
      assert.equal((await metastore.getTable('dev', 'events'))?.owner, 'bob');
      assert.equal(await metastore.getTable('dev', 'other'), undefined);
    });

    it('lists by pattern', async t => {
      const { metastore } = await open(t);
      for (const name of ['dev', 'prod']) await metastore.createDatabase({ name });
      for (const name of ['events', 'evils', 'users']) await metastore.createTable(sampleTable('dev', name));
      assert.deepEqual(await metastore.listDatabases('.*'), ['dev', 'prod']);
      assert.deepEqual(await metastore.listDatabases('d.*'), ['dev']);
      assert.deepEqual(await metastore.listTables('dev', '.*'), ['events', 'evils', 'users']);
      assert.deepEqual(await metastore.listTables('dev', 'ev.*|users'), ['events', 'evils', 'users']);
      assert.deepEqual(await metastore.listTables('prod', '.*'), []);
    });

    it('holds partitions by the thousand', async t => {
      const { metastore } = await open(t);
      const table = await fill(metastore, 'dev', 'events', 2500);
      const found = await allPartitions(metastore, 'dev', 'events');
      assert.equal(found.length, 2500);
      const { createTime, ...first } = found[0] ?? {};
      assert.deepEqual(first, samplePartition(table, valuesOf(0)));
      const changed = Array.from({ length: 30 }, (_, i) => samplePartition(table, valuesOf(i), 1_800_000_000));
      await metastore.alterPartitions(changed);
      await metastore.dropPartition('dev', 'events', valuesOf(2499));
      assert.equal((await metastore.getPartition('dev', 'events', valuesOf(29)))?.lastAccessTime, 1_800_000_000);
      assert.equal((await metastore.getPartition('dev', 'events', valuesOf(30)))?.lastAccessTime, 1_700_000_000);
      assert.equal(await metastore.getPartition('dev', 'events', valuesOf(2499)), undefined);
      await assert.rejects(metastore.addPartitions([samplePartition(table, valuesOf(7))]), isKind('exists'));
    });
  });
}

it('a Hive metastore receives fields by their ids', async t => {
  const { server, metastore } = await hive(t);
  await metastore.createDatabase({ name: 'dev', locationUri: 's3a://x/y', ownerName: 'ann', ownerType: 1 });
  const table = { ...sampleTable('dev', 'events'), createTime: 5, temporary: false, rewriteEnabled: true };
  await metastore.createTable(table);
  await metastore.addPartitions([{ ...samplePartition(table, ['2000', '01']), createTime: 6 }]);
  const sd = (location: string) => ({
    1: [
      { 1: 'id', 2: 'bigint', 3: 'key' },
      { 1: 'näme', 2: 'string', 3: '' },
    ],
    2: location,
    3: 'in',
    4: 'out',
    5: true,
    6: 4,
    7: { 1: 'old', 2: 'lib', 3: { 'serialization.format': '1' } },
    8: ['id'],
    9: [{ 1: 'id', 2: 0 }],
    10: { a: 'b' },
    11: { 1: ['id'], 2: [['1'], ['2']], 3: {} },
    12: false,
  });
  assert.deepEqual(server.table('dev', 'events'), {
    1: 'events',
    2: 'dev',
    3: 'ann',
    4: 5,
    5: 1_700_000_000,
    6: 7,
    7: sd('s3a://lakes/main/events'),
    8: [
      { 1: 'year', 2: 'string' },
      { 1: 'month', 2: 'string' },
    ],
    9: { EXTERNAL: 'TRUE' },
    10: 'v',
    11: 'w',
    12: 'EXTERNAL_TABLE',
    14: false,
    15: true,
  });
  assert.deepEqual(server.partitions('dev', 'events'), [
    {
      1: ['2000', '01'],
      2: 'dev',
      3: 'events',
      4: 6,
      5: 1_700_000_000,
      6: sd('s3a://lakes/main/events/year=2000/month=01'),
      7: { rows: '1' },
    },
  ]);
});

it('a Hive metastore that cuts the connection is named, and the next call connects again', async t => {
  const { server, metastore } = await hive(t);
  await metastore.createDatabase({ name: 'dev' });
  server.fault = method => (method === 'get_databases' ? 'close' : undefined);
  await assert.rejects(metastore.listDatabases('.*'), {
    message: `Hive metastore at ${server.address}: get_databases: the connection was closed before the response was complete`,
  });
  server.fault = () => undefined;
  assert.deepEqual(await metastore.listDatabases('.*'), ['dev']);
  server.fault = () => ({ exception: 'out of memory' });
  await assert.rejects(metastore.listDatabases('.*'), { message: 'get_databases: out of memory' });
  server.fault = () => undefined;
  assert.deepEqual(await metastore.listDatabases('.*'), ['dev']);
});

it('reports a missing Hive metastore and an invalid address', async () => {
  assert.throws(() => new HiveMetastore('localhost', forever), { message: /must be host:port, not "localhost"/ });
  const gone = new HiveMetastore('127.0.0.1:9', forever);
  await assert.rejects(gone.listDatabases('.*'), /Hive metastore at 127\.0\.0\.1:9: get_databases: .*ECONNREFUSED/);
});

it('Glue gets what it accepts', async t => {
  const { server, metastore } = await glue(t);
  await metastore.createDatabase({ name: 'dev', locationUri: '' });
  const { serdeInfo, ...sd } = sampleTable('dev', 'events').sd ?? {};
  await metastore.createTable({ ...sampleTable('dev', 'events'), sd: { ...sd, serdeInfo: { ...serdeInfo, name: '' } } });
  const stored = server.table('dev', 'events')?.['StorageDescriptor'] as { readonly SerdeInfo: object };
  assert.deepEqual(stored.SerdeInfo, { Name: 'default', SerializationLibrary: 'lib', Parameters: { 'serialization.format': '1' } });
  await assert.rejects(metastore.listDatabases('('), { message: /^the pattern "\(" is not a regular expression/ });
});

it('a connection to Hive serves any number of calls', async t => {
  const warnings: string[] = [];
  const listen = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', listen);
  t.after(() => process.off('warning', listen));
  const { metastore } = await hive(t);
  await metastore.createDatabase({ name: 'dev' });
  for (let i = 0; i < 50; i++) assert.deepEqual(await metastore.listDatabases('.*'), ['dev']);
  await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(warnings, []);
});
