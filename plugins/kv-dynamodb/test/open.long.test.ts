/** Opening: what every key does, what is set up, and what can go wrong. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { DescribeTableCommand, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { Config } from '@srv/kernel';
import { collect, createTestKernel, rejectsWith, until } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import { ScriptedHttp, freePort, passOn } from '@srv/test-servers';
import { startDynamodb } from '@srv/test-servers/dynamodb';
import section from '../src/config.js';
import plugin from '../src/server/index.js';
import { bytes, openAt } from './stores.js';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TestServer } from '@srv/test-servers';

const key = bytes('k');
const plugins = [{ plugin, section }];
const warnings: string[] = [];
let server: TestServer;
let bare: DynamoDBClient;

before(async () => {
  process.on('warning', warning => warnings.push(warning.message));
  server = await startDynamodb();
});
after(async () => {
  bare?.destroy();
  await server.close();
  assert.deepEqual(warnings, [], 'nothing reaches the standard error of the user');
});

/** A front that notes the headers of every request. */
async function noting(): Promise<{ front: ScriptedHttp; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const front = await ScriptedHttp.open((request, response) => {
    seen.push(request.headers);
    passOn(server.url, request, response);
  });
  return { front, seen };
}

test('the defaults are those of the specification', () => {
  assert.deepEqual(Config.create([section], []).values(section.keys), {
    'database.dynamodb.table_name': 'kvstore',
    'database.dynamodb.scan_limit': 1025,
    'database.dynamodb.endpoint': undefined,
    'database.dynamodb.aws_region': undefined,
    'database.dynamodb.aws_profile': undefined,
    'database.dynamodb.aws_access_key_id': undefined,
    'database.dynamodb.aws_secret_access_key': undefined,
    'database.dynamodb.health_check_interval': 0,
    'database.dynamodb.max_attempts': 10,
    'database.dynamodb.max_connections': 0,
  });
});

test('the plugin opens the store the configuration names, and closes it with the kernel', async () => {
  const config = {
    'database.type': 'dynamodb',
    'database.dynamodb.endpoint': server.url,
    'database.dynamodb.aws_region': 'eu-west-1',
    'database.dynamodb.aws_access_key_id': 'test',
    'database.dynamodb.aws_secret_access_key': 'test',
    'database.dynamodb.table_name': 'of-plugin',
  };
  const kernel = await createTestKernel({ plugins, config });
  const kv = kernel.services.get('kv');
  assert.equal(kv.type, 'dynamodb');
  await kv.set('p/é', key, bytes('v'));
  await kernel.stop();
  await rejectsWith(() => kv.get('p/é', key), 'closed');
  bare = new DynamoDBClient({ endpoint: server.url, region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  const { Table: table } = await bare.send(new DescribeTableCommand({ TableName: 'of-plugin' }));
  assert.equal(table?.BillingModeSummary?.BillingMode, 'PAY_PER_REQUEST');
  assert.deepEqual(table?.KeySchema, [
    { AttributeName: 'PartitionKey', KeyType: 'HASH' },
    { AttributeName: 'ItemKey', KeyType: 'RANGE' },
  ]);
  const { Item: item } = await bare.send(
    new GetItemCommand({ TableName: 'of-plugin', Key: { PartitionKey: { B: bytes('p/é') }, ItemKey: { B: key } } }),
  );
  assert.deepEqual(Object.keys(item ?? {}).sort(), ['ItemKey', 'ItemValue', 'PartitionKey']);
  assert.deepEqual(Buffer.from(item?.ItemValue?.B ?? []), bytes('v'));
});

test('measures the cost of requests', async () => {
  const { metrics, scrape } = createTestMetrics();
  const kv = await openAt(server.url, { tableName: 'measured', metrics });
  await kv.set('p', key, bytes('v'));
  await kv.get('p', key);
  await collect(kv.scan('p'));
  const page = await scrape();
  for (const operation of ['PutItem', 'GetItem', 'Query'])
    assert.ok(page.value('dynamo_consumed_capacity_total', { operation }) > 0, operation);
  assert.equal(page.value('dynamo_slowdown_total'), 0);
  assert.deepEqual(page.samples('out_in_use_conns'), [{ name: 'out_in_use_conns', labels: { service: 'dynamodb' }, value: 0 }]);
  await kv.close();
});

test('refuses settings out of range and half a pair of credentials', async () => {
  const open = (values: Record<string, unknown>) => () =>
    createTestKernel({
      plugins,
      config: {
        'database.type': 'dynamodb',
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`database.dynamodb.${name}`, value])),
      },
    });
  await rejectsWith(open({ scan_limit: 0 }), 'config', /scan_limit: 0/);
  await rejectsWith(open({ max_attempts: 0 }), 'config', /max_attempts: 0/);
  await rejectsWith(open({ max_connections: -1 }), 'config', /max_connections: -1/);
  await rejectsWith(open({ health_check_interval: 'often' }), 'config', /health_check_interval/);
  await rejectsWith(open({ aws_access_key_id: 'id' }), 'config', /aws_secret_access_key: missing, while .*aws_access_key_id is set/);
  await rejectsWith(
    open({ aws_secret_access_key: 'secret-word' }),
    'config',
    /aws_access_key_id: missing, while .*aws_secret_access_key is set/,
  );
});

test('reports errors at start with the key and without the secret', async () => {
  const cases: readonly (readonly [Parameters<typeof openAt>[1], 'config' | 'unavailable', RegExp])[] = [
    [{ endpoint: 'localhost:8000' }, 'config', /^database\.dynamodb\.endpoint: localhost:8000 is not a URL/],
    [
      { endpoint: `http://127.0.0.1:${await freePort()}` },
      'unavailable',
      /^database\.dynamodb: DynamoDB table kvstore at .*ECONNREFUSED.*check database\.dynamodb\.endpoint/,
    ],
    [{ tableName: 'a/b' }, 'config', /table a\/b .*DynamoDB refuses the request/],
  ];
  for (const [options, code, message] of cases) {
    await rejectsWith(
      () =>
        openAt(server.url, { maxAttempts: 1, ...options }).catch(error => {
          assert.ok(!inspect(error, { depth: 10 }).includes('secret-word'));
          throw error;
        }),
      code,
      message,
    );
  }
});

test('region, profile and credentials come from the environment and the profile when they are not set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'srv-aws-'));
  const file = join(folder, 'credentials');
  await writeFile(file, '[mine]\naws_access_key_id = of-profile\naws_secret_access_key = secret-word\nregion = ap-south-1\n');
  const saved = { ...process.env };
  Object.assign(process.env, { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: file, AWS_EC2_METADATA_DISABLED: 'true' });
  const { front, seen } = await noting();
  const unset = { region: undefined, accessKeyId: undefined, secretAccessKey: undefined };
  try {
    await (await openAt(front.url, { ...unset, profile: 'mine' })).close();
    assert.match(String(seen.at(-1)?.authorization), /Credential=of-profile\/\d+\/ap-south-1\//);
    await rejectsWith(
      () => openAt(front.url, { ...unset, maxAttempts: 1 }),
      'config',
      /^database\.dynamodb\.aws_region: no region is known/,
    );
    await rejectsWith(() => openAt(front.url, { ...unset, region: 'eu-west-1', maxAttempts: 1 }), 'config', /check the credentials/);
    await (await openAt(front.url, { region: 'eu-central-1', accessKeyId: 'of-key' })).close();
    assert.match(String(seen.at(-1)?.authorization), /Credential=of-key\/\d+\/eu-central-1\//);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
    await front.close();
    await rm(folder, { recursive: true });
  }
});

test('waits until a new table can be used; servers that start together share it', async () => {
  const slow = await startDynamodb({ createTableMs: 1000 });
  const tableName = `kv-${randomUUID()}`;
  const stores = await Promise.all(Array.from({ length: 3 }, () => openAt(slow.url, { tableName })));
  await stores[0]?.set('p', key, bytes('v'));
  assert.deepEqual((await stores[1]?.get('p', key))?.value, bytes('v'));
  await Promise.all(stores.map(store => store.close()));
  await slow.close();
});

test('scan_limit bounds every page; pages double up to it', async () => {
  const store = await openAt(server.url, { tableName: 'scan-limit', scanLimit: 8 });
  await Promise.all(Array.from({ length: 30 }, (_, i) => store.set('p', bytes(`k${String(i).padStart(2, '0')}`), key)));
  const sizes: number[] = [];
  for await (const page of store.scan('p', { batchSize: 3 })) sizes.push(page.length);
  assert.deepEqual(sizes, [3, 6, 8, 8, 5]);
  await store.close();
});

test('max_connections bounds the connections', async () => {
  const ports = new Set<number | undefined>();
  const front = await ScriptedHttp.open((request, response) => {
    ports.add(request.socket.remotePort);
    passOn(server.url, request, response);
  });
  const store = await openAt(front.url, { maxConnections: 2 });
  await Promise.all(Array.from({ length: 30 }, (_, i) => store.set('p', bytes(`k${i}`), key)));
  assert.equal(ports.size, 2);
  await store.close();
  const unlimited = await openAt(front.url);
  ports.clear();
  await Promise.all(Array.from({ length: 60 }, (_, i) => unlimited.set('p', bytes(`k${i}`), key)));
  assert.ok(ports.size > 50, `${ports.size} connections`);
  await unlimited.close();
  await front.close();
});

test('health_check_interval asks for the table at once and again; 0 never does', async () => {
  const { front, seen } = await noting();
  const lines: unknown[] = [];
  const log = { debug: (fields: unknown, message: string) => lines.push([message, fields]) } as never;
  const store = await openAt(front.url, { healthCheckInterval: 20, log });
  await until(() => lines.length >= 3);
  await store.close();
  assert.ok(seen.length > lines.length, 'one of opening, and one a line');
  for (const line of lines) assert.deepEqual(line, ['database health check', { table: 'kvstore', active: true }]);
  await front.close();
  const { front: unasked, seen: ofOpening } = await noting();
  const silent = await openAt(unasked.url);
  await new Promise(resolve => setTimeout(resolve, 60));
  assert.equal(ofOpening.length, 1, 'only the one of opening');
  await silent.close();
  await unasked.close();
});

test('a closed store asks for the table no more, nor again when it had no answer yet', async () => {
  const open = new Set<Socket>();
  const asked: ServerResponse[] = [];
  const front = await ScriptedHttp.open((request, response) => {
    open.add(request.socket);
    request.socket.once('close', () => open.delete(request.socket));
    if (asked.push(response) <= 1) passOn(server.url, request, response);
  });
  const lines: string[] = [];
  const log = { debug: (_fields: unknown, message: string) => lines.push(message) } as never;
  const store = await openAt(front.url, { healthCheckInterval: 20, log });
  await until(() => asked.length === 2);
  await new Promise(resolve => setTimeout(resolve, 60));
  assert.equal(asked.length, 2, 'one question at a time');
  await store.close();
  await until(() => open.size === 0);
  await new Promise(resolve => setTimeout(resolve, 100));
  assert.equal(asked.length, 2);
  assert.deepEqual(lines, []);
  await front.close();
});

test('rejects entries that are too large, with their size', async () => {
  const store = await openAt(server.url);
  await rejectsWith(
    () => store.set('p', key, Buffer.alloc(400 * 1024)),
    'invalid',
    /^item of 409630 bytes: DynamoDB holds at most 409600$/,
  );
  await rejectsWith(() => store.set('p', Buffer.alloc(1025, 1), key), 'invalid', /^key of 1025 bytes: DynamoDB holds at most 1024$/);
  await rejectsWith(() => store.get('p'.repeat(2049), key), 'invalid', /^partition of 2049 bytes: DynamoDB holds at most 2048$/);
  await store.set('p', key, Buffer.alloc(409_600 - 30));
  const long = Buffer.alloc(1024, 2);
  await store.set('long', long, key);
  const from = async (start: Buffer): Promise<number> => {
    let entries = 0;
    for await (const page of store.scan('long', { start })) entries += page.length;
    return entries;
  };
  assert.equal(await from(long), 1);
  assert.equal(await from(Buffer.concat([long, key])), 0, 'a start longer than any key sorts after its prefix');
  assert.equal(await from(Buffer.alloc(2000, 1)), 1);
  await store.close();
});
