/** The commands against a Hive metastore and a stand-in for Glue. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Config } from '@srv/kernel';
import { ExitError } from '@srv/lib-commands';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startGlue } from '@srv/test-servers/glue';
import { startHive } from '@srv/test-servers/hive';
import plugin from '../src/cli/index.js';
import { GlueMetastore } from '../src/glue/metastore.js';
import { HiveMetastore } from '../src/hive/metastore.js';
import { allPartitions, fill, samplePartition, sampleTable, valuesOf } from './sample.js';
import type { Kernel } from '@srv/kernel';
import type { Command, CommandContext, CommandInput } from '@srv/lib-commands';
import type { GlueServer } from '@srv/test-servers/glue';
import type { HiveServer } from '@srv/test-servers/hive';

const forever = new AbortController().signal;
const commands: Command[] = [];
const registry = { add: (command: Command) => void commands.push(command), list: () => [] };
plugin.apply({ hooks: { commands: { tap: (_: string, add: (r: typeof registry) => void) => add(registry) } } } as object as Kernel);

describe('metastore', () => {
  let [one, two]: HiveServer[] = [];
  let glue: GlueServer;
  let source: HiveMetastore;
  let target: HiveMetastore;

  const servers = (): { one: HiveServer; two: HiveServer } => {
    assert.ok(one && two);
    return { one, two };
  };
  before(async () => {
    glue = await startGlue();
  });
  after(() => glue.close());
  const reset = async (): Promise<void> => {
    source?.close();
    target?.close();
    await one?.close();
    await two?.close();
    [one, two] = [undefined, undefined];
  };
  afterEach(reset);
  const open = async (): Promise<void> => {
    [one, two] = [await startHive(), await startHive()];
    source = new HiveMetastore(servers().one.address, forever);
    target = new HiveMetastore(servers().two.address, forever);
  };

  /** @param settings of the command line's configuration. */
  const run = async (
    name: string,
    options: CommandInput['options'],
    { settings = {}, answers = {} }: { settings?: Readonly<Record<string, unknown>>; answers?: Record<string, unknown> } = {},
  ) => {
    const entries = Object.entries({
      'metastore.glue.endpoint_url': glue.url,
      'metastore.glue.region': 'us-east-1',
      'metastore.glue.credentials.access_key_id': glue.accessKeyId,
      'metastore.glue.credentials.access_secret_key': 'secret',
      ...settings,
    }).map(([key, raw]) => ({ key, raw, source: 'test' }));
    const configuration: CommandContext['configuration'] = {
      file: '/nowhere',
      show: () => [],
      read: async section => Config.create([section], entries).values(section.keys),
    };
    const fake = fakeContext(answers, { configuration });
    const result = await runCommand(commands, fake, name, [], options).then(
      ({ text, data }) => ({ text, data, error: undefined }),
      (error: unknown) => ({ text: '', data: undefined, error }),
    );
    return { ...result, told: fake.told, calls: fake.calls };
  };
  const both = (more: CommandInput['options']): CommandInput['options'] => ({
    'from-client-type': 'hive',
    'to-client-type': 'hive',
    'from-address': servers().one.address,
    'to-address': servers().two.address,
    ...more,
  });

  it('copy makes a table on another branch, and merges into it when it exists', async () => {
    await open();
    const table = await fill(source, 'default', 'events', 1200);
    await source.createDatabase({ name: 'dev' });
    const { one: server } = servers();
    const settings = { 'metastore.type': 'hive', 'metastore.hive.uri': server.address };
    const options = { 'from-schema': 'default', 'from-table': 'events', 'to-branch': 'dev' };
    const first = await run('metastore copy', options, { settings });
    assert.deepEqual([first.error, first.text], [undefined, 'copy default.events -> dev.events']);
    const made = await source.getTable('dev', 'events');
    assert.deepEqual(
      [made?.sd?.location, made?.sd?.serdeInfo?.name, made?.dbName, made?.parameters],
      ['s3a://lakes/dev/events', 'events', 'dev', { EXTERNAL: 'TRUE' }],
    );
    const copies = await allPartitions(source, 'dev', 'events');
    assert.equal(copies.length, 1200);
    assert.ok(copies.every(({ sd, dbName }) => sd?.location?.startsWith('s3a://lakes/dev/events/year=') && dbName === 'dev'));

    await source.addPartitions([samplePartition(table, ['3000', '01'])]);
    await source.alterPartitions([samplePartition(table, valuesOf(5), 1_800_000_000)]);
    await source.dropPartition('default', 'events', valuesOf(7));
    const merged = await run('metastore copy', { ...options, serde: 'mine' }, { settings });
    assert.deepEqual(merged.data, {
      from: 'default.events',
      to: 'dev.events',
      created: false,
      added: 1,
      altered: 1,
      dropped: 1,
    });
    const changes = server.calls.filter(call => /^(alter|add|drop|create)/.test(call)).slice(-4);
    assert.deepEqual(changes, ['alter_table', 'add_partitions', 'alter_partitions', 'drop_partition']);
    assert.equal((await source.getTable('dev', 'events'))?.sd?.serdeInfo?.name, 'mine');
    const again = await run('metastore diff', { 'from-schema': 'default', 'from-table': 'events', 'to-schema': 'dev' }, { settings });
    assert.equal(again.text, 'default.events <--> dev.events\nColumns are identical\nPartitions are identical');
  });

  it('copy of a single partition adds or alters it', async () => {
    await open();
    const table = await fill(source, 'default', 'events', 3);
    await source.createDatabase({ name: 'dev' });
    const settings = { 'metastore.type': 'hive' };
    const options = {
      'metastore-uri': servers().one.address,
      'from-schema': 'default',
      'from-table': 'events',
      'to-branch': 'dev',
      partition: valuesOf(1),
    };
    const early = await run('metastore copy', options, { settings });
    assert.match(String(early.error), /no table dev\.events in the target metastore; copy the whole table first, without --partition/);
    await source.createTable(sampleTable('dev', 'events', 's3a://lakes/dev'));
    assert.equal((await run('metastore copy', options, { settings })).error, undefined);
    await source.alterPartitions([samplePartition(table, valuesOf(1), 1_800_000_000)]);
    assert.equal((await run('metastore copy', options, { settings })).error, undefined);
    const [only, ...rest] = await allPartitions(source, 'dev', 'events');
    assert.deepEqual(
      [only?.values, only?.lastAccessTime, only?.sd?.location, rest.length],
      [valuesOf(1), 1_800_000_000, `s3a://lakes/dev/events/year=2000/month=02`, 0],
    );
    const missing = await run('metastore copy', { ...options, partition: ['1', '2'] }, { settings });
    assert.match(String(missing.error), /no partition 1, 2 of default\.events in the source metastore/);
  });

  it('copy-schema makes a database, once', async () => {
    await open();
    await source.createDatabase({ name: 'default', locationUri: 's3a://lakes/main/warehouse', description: 'd' });
    const options = { 'from-client-type': 'hive', 'to-client-type': 'hive', 'metastore-uri': servers().one.address };
    const input = { ...options, 'from-schema': 'default', 'to-branch': 'dev' };
    assert.equal((await run('metastore copy-schema', input)).text, 'copy default -> dev');
    assert.deepEqual(await source.getDatabase('dev'), { name: 'dev', locationUri: 's3a://lakes/dev/warehouse', description: 'd' });
    assert.match(String((await run('metastore copy-schema', input)).error), /Database dev already exists/);
  });

  it('copy-all stops at a failure, continues with --continue-on-error, and copies the rest when it is repeated', async () => {
    await open();
    for (const name of ['a', 'b', 'c']) await fill(source, 'my-lake', name, 700);
    await fill(source, 'other', 'x', 1);
    let additions = 0;
    // The second batch of the second table fails.
    servers().two.fault = method => (method === 'add_partitions' && ++additions === 4 ? { exception: 'disk full' } : undefined);
    const stopped = await run('metastore copy-all', both({ branch: 'dev' }));
    assert.match(String(stopped.error), /my-lake\.b -> my_lake\.b: add_partitions: disk full/);
    additions = 0;
    servers().two.fault = method => (method === 'add_partitions' && ++additions === 1 ? { exception: 'disk full' } : undefined);
    const halted = await run('metastore copy-all', both({ branch: 'dev', 'continue-on-error': true }));
    assert.ok(halted.error instanceof ExitError && halted.error.exitCode === 1);
    assert.deepEqual(halted.told.slice(-2), [
      '1 of 4 could not be copied; the same command again copies the rest:',
      '  my-lake.b -> my_lake.b: add_partitions: disk full',
    ]);
    assert.equal((await allPartitions(target, 'my_lake', 'c')).length, 700);
    servers().two.fault = () => undefined;
    const rest = await run('metastore copy-all', both({ branch: 'dev', 'table-filter': 'b' }));
    assert.deepEqual([rest.error, rest.text, rest.told], [undefined, '1 table copied', ['table my-lake.b -> my_lake.b']]);
    assert.equal((await allPartitions(target, 'my_lake', 'b')).length, 700);
    assert.equal((await target.getTable('my_lake', 'b'))?.sd?.location, 's3a://lakes/dev/b');
    assert.deepEqual(servers().two.databases(), ['my_lake', 'other']);
  });

  it('import-all turns buckets into the repository, from Hive to Glue', async () => {
    await open();
    await fill(source, 'warehouse', 'events', 250, 's3://bucket/data');
    const input = {
      'from-client-type': 'hive',
      'from-address': servers().one.address,
      'to-client-type': 'glue',
      'to-address': '123456789012',
      repo: 'lakes',
      branch: 'main',
      'schema-filter': 'ware*',
    };
    const { error, text } = await run('metastore import-all', input);
    assert.deepEqual([error, text], [undefined, '1 table copied']);
    const storage = glue.table('warehouse', 'events')?.['StorageDescriptor'];
    assert.equal((storage as { Location: string }).Location, 's3://lakes/main/data/events');
    assert.equal(glue.partitions('warehouse', 'events').length, 250);
    const compared = await run('metastore diff', {
      'from-client-type': 'hive',
      'from-address': servers().one.address,
      'to-client-type': 'glue',
      'from-schema': 'warehouse',
      'from-table': 'events',
    });
    assert.equal(compared.text, 'warehouse.events <--> warehouse.events\nColumns are identical\nPartitions are identical');
  });

  it('create-symlink makes a table in Glue that reads lists of objects', async () => {
    await open();
    await fill(source, 'default', 'events', 2);
    const credentials = { accessKeyId: glue.accessKeyId, secretAccessKey: 'secret' };
    const catalog = new GlueMetastore({
      catalogId: '',
      client: { endpoint: glue.url, region: 'us-east-1', credentials },
      signal: forever,
    });
    await catalog.createDatabase({ name: 'lists' });
    catalog.close();
    const input = {
      'from-client-type': 'hive',
      'from-schema': 'default',
      'from-table': 'events',
      'to-schema': 'lists',
      'to-table': 'events',
      repo: 'lakes',
      branch: 'main',
      path: 'events',
    };
    const { error, text, calls } = await run('metastore create-symlink', input, {
      settings: { 'metastore.hive.uri': servers().one.address },
      answers: { createSymlinkFile: { location: 's3://bucket/ns/symlinks' } },
    });
    assert.deepEqual([error, text], [undefined, 'create symlink default.events -> lists.events']);
    assert.deepEqual(calls, [['createSymlinkFile', { repository: 'lakes', branch: 'main', location: 'events' }]]);
    const storage = glue.table('lists', 'events')?.['StorageDescriptor'] as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      [storage['Location'], storage['InputFormat'], storage['OutputFormat']],
      ['s3://bucket/ns/symlinks/lakes/main/events', 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat', 'out'],
    );
  });

  it('diff names columns and partitions', async () => {
    await open();
    const table = await fill(source, 'default', 'events', 3);
    const { cols = [], ...sd } = table.sd ?? {};
    const [first = {}, second = {}] = cols;
    const changed = { ...sd, cols: [first, { ...second, type: 'int' }, { name: 'more', type: 'int' }] };
    await target.createDatabase({ name: 'default' });
    await target.createTable({ ...table, sd: changed });
    await target.addPartitions([
      samplePartition(table, valuesOf(1)),
      samplePartition(table, valuesOf(2), 1),
      samplePartition(table, valuesOf(3)),
    ]);
    const { text } = await run('metastore diff', both({ 'from-schema': 'default', 'from-table': 'events' }));
    assert.equal(text, 'default.events <--> default.events\nColumns\n- more\n~ näme\nPartitions\n+ 2000-01\n~ 2000-03\n- 2000-04');
    const missing = await run('metastore diff', both({ 'from-schema': 'default', 'from-table': 'events', 'to-table': 'gone' }));
    assert.match(String(missing.error), /no table default\.gone in the target metastore/);
  });

  it('says what is missing', async () => {
    const wrong: readonly (readonly [string, CommandInput['options'], string])[] = [
      ['metastore copy', {}, 'required flag(s) "from-schema", "from-table", "to-branch" not set'],
      ['metastore copy', { 'from-schema': 'a', 'from-table': 'b', 'to-branch': 'c' }, 'unknown type, expected hive or glue got: '],
      ['metastore copy-all', { branch: 'b' }, 'required flag(s) "to-address" not set'],
      ['metastore copy-all', { branch: 'b', 'from-address': 'x:1', 'to-address': 'x:1' }, 'from-address must be different than to-address'],
      ['metastore import-all', { branch: 'b', 'to-address': 'x:1' }, 'required flag(s) "repo" not set'],
    ];
    for (const [name, options, message] of wrong) {
      const { error } = await run(name, options);
      assert.ok(error instanceof Error);
      assert.equal(error.message, message);
    }
    const address = await run('metastore diff', { 'from-schema': 'a', 'from-table': 'b', 'from-client-type': 'hive' });
    assert.match(String(address.error), /the address of the Hive metastore is missing: give it as an option, or set metastore\.hive\.uri/);
  });

  it('the program reads metastores from its file and from variables', async () => {
    await open();
    await source.createDatabase({ name: 'default', locationUri: '' });
    const folder = await mkdtemp(join(tmpdir(), 'srv-metastore-'));
    try {
      await writeFile(join(folder, '.cli.yaml'), `metastore:\n  hive:\n    uri: ${servers().one.address}\n`);
      const cli = fileURLToPath(new URL('../../../../cli/bin/cli.js', import.meta.url));
      const args = ['metastore', 'copy-schema', '--from-schema', 'default', '--to-branch', 'dev'];
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, CLI_METASTORE_TYPE: 'hive' };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, ...args], { cwd: folder, env });
      assert.deepEqual([stdout, stderr], ['copy default -> dev\n', '']);
      assert.deepEqual(servers().one.databases(), ['default', 'dev']);
      const glueEnv = {
        CLI_METASTORE_GLUE_ENDPOINT_URL: glue.url,
        CLI_METASTORE_GLUE_REGION: 'us-east-1',
        CLI_METASTORE_GLUE_CATALOG_ID: '123456789012',
        CLI_METASTORE_GLUE_CREDENTIALS_ACCESS_KEY_ID: glue.accessKeyId,
        CLI_METASTORE_GLUE_CREDENTIALS_ACCESS_SECRET_KEY: 'secret',
      };
      const toGlue = [...args, '--to-client-type', 'glue', '--to-schema', 'from-program'];
      const copied = await promisify(execFile)(process.execPath, [cli, ...toGlue], { cwd: folder, env: { ...env, ...glueEnv } });
      assert.deepEqual([copied.stdout, copied.stderr], ['copy default -> from-program\n', '']);
      assert.ok(glue.databases().includes('from-program'));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
