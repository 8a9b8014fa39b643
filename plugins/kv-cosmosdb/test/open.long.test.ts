/** Opening: what every key does, what is set up, and what can go wrong. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { CosmosClient } from '@azure/cosmos';
import { Config } from '@srv/kernel';
import { createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp, freePort, passOn } from '@srv/test-servers';
import { startCosmosdb } from '@srv/test-servers/cosmosdb';
import section from '../src/config.js';
import plugin from '../src/server/index.js';
import { bytes, openAt, secret } from './stores.js';
import type { IncomingHttpHeaders } from 'node:http';

const plugins = [{ plugin, section }];
const key = bytes('k');
const server = await startCosmosdb();
after(() => server.close());

test('the defaults are those of the specification', () => {
  assert.deepEqual(Config.create([section], []).values(section.keys), {
    'database.cosmosdb.key': '',
    'database.cosmosdb.endpoint': '',
    'database.cosmosdb.database': '',
    'database.cosmosdb.container': '',
    'database.cosmosdb.throughput': undefined,
    'database.cosmosdb.autoscale': false,
  });
});

test('the plugin opens the store the configuration names, and closes it with the kernel', async () => {
  const config = {
    'database.type': 'cosmosdb',
    'database.cosmosdb.endpoint': server.url,
    'database.cosmosdb.key': secret,
    'database.cosmosdb.database': 'of-plugin',
    'database.cosmosdb.container': 'entries',
  };
  const kernel = await createTestKernel({ plugins, config });
  const kv = kernel.services.get('kv');
  assert.equal(kv.type, 'cosmosdb');
  await kv.set('p', key, bytes('v'));
  await kernel.stop();
  await rejectsWith(() => kv.get('p', key), 'closed');
  const client = new CosmosClient({ endpoint: server.url, key: secret });
  const container = client.database('of-plugin').container('entries');
  const { resource: definition } = await container.read();
  assert.deepEqual(definition?.partitionKey?.paths, ['/partitionKey']);
  const { indexingMode, automatic, includedPaths, excludedPaths } = definition?.indexingPolicy ?? {};
  assert.equal(indexingMode, 'consistent');
  assert.equal(automatic, false);
  assert.deepEqual(
    includedPaths?.map(({ path }) => path),
    ['/*'],
  );
  assert.ok(excludedPaths?.some(({ path }) => path === '/value/?'));
  const { resources } = await container.items.readAll<Record<string, string>>().fetchAll();
  assert.deepEqual(
    resources.map(document => ({ partitionKey: document.partitionKey, key: document.key, value: document.value })),
    [{ partitionKey: 'E0======', key: 'DC======', value: 'EO======' }],
  );
  client.dispose();
});

test('reports missing and contradictory settings by their keys', async () => {
  const open = (values: Record<string, unknown>) => () =>
    createTestKernel({
      plugins,
      config: {
        'database.type': 'cosmosdb',
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`database.cosmosdb.${name}`, value])),
      },
    });
  await rejectsWith(open({}), 'config', /^database\.cosmosdb\.endpoint: missing/);
  await rejectsWith(open({ endpoint: server.url }), 'config', /^database\.cosmosdb\.database: missing/);
  await rejectsWith(open({ endpoint: server.url, database: 'd' }), 'config', /^database\.cosmosdb\.container: missing/);
  await rejectsWith(open({ endpoint: 'account', database: 'd', container: 'c' }), 'config', /endpoint: account is not a URL/);
  await rejectsWith(open({ autoscale: true }), 'config', /throughput: missing or 0, while database\.cosmosdb\.autoscale is true/);
  await rejectsWith(open({ autoscale: true, throughput: 0 }), 'config', /throughput: missing or 0/);
  await rejectsWith(open({ throughput: -1 }), 'config', /throughput: -1/);
});

test('throughput and autoscale are asked for when the container is made', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const front = await ScriptedHttp.open((request, response) => {
    if (request.method === 'POST' && request.url?.endsWith('/colls')) seen.push(request.headers);
    passOn(server.url, request, response);
  });
  for (const options of [{ throughput: 700 }, { throughput: 4000, autoscale: true }, {}, { throughput: 0 }]) {
    await (await openAt(front.url, options)).close();
  }
  assert.deepEqual(
    seen.map(headers => [headers['x-ms-offer-throughput'], headers['x-ms-cosmos-offer-autopilot-settings']]),
    [
      ['700', undefined],
      [undefined, '{"maxThroughput":4000}'],
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
  await front.close();
});

test('reports errors at start with the place and without the secret', async () => {
  const port = await freePort();
  const refused = await ScriptedHttp.open((request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'Unauthorized', message: 'The input authorization token cannot serve the request.' }));
  });
  const cases: readonly (readonly [string, 'config' | 'unavailable', RegExp])[] = [
    [
      `http://127.0.0.1:${port}`,
      'unavailable',
      new RegExp(
        `^database\\.cosmosdb: Cosmos DB container srv/\\S+ at 127\\.0\\.0\\.1:${port}: .*ECONNREFUSED.*check database\\.cosmosdb\\.endpoint`,
      ),
    ],
    [refused.url, 'config', /cannot serve the request.*check database\.cosmosdb\.key/],
  ];
  for (const [endpoint, code, message] of cases) {
    await rejectsWith(
      () =>
        openAt(endpoint).catch(error => {
          assert.ok(!inspect(error, { depth: 10 }).includes(secret));
          throw error;
        }),
      code,
      message,
    );
  }
  await refused.close();
});

test('without a key the credentials of the environment are asked', async () => {
  const saved = { ...process.env };
  process.env.AZURE_TOKEN_CREDENTIALS = 'EnvironmentCredential';
  try {
    await rejectsWith(
      () => openAt('https://127.0.0.1:1', { key: undefined }),
      'config',
      /TokenCredential authentication failed; .*or the credentials of the environment/,
    );
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
  }
});

test('names the level to choose for an account whose consistency is too weak', async () => {
  const front = await ScriptedHttp.open((request, response) => {
    if (request.url?.includes('/docs/consistency')) {
      assert.equal(request.headers['x-ms-consistency-level'], 'BoundedStaleness');
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: 'ConsistencyLevel BoundedStaleness specified in the request is invalid' }));
    } else passOn(server.url, request, response);
  });
  await rejectsWith(() => openAt(front.url), 'config', /choose Bounded Staleness or Strong as default consistency/);
  await front.close();
});

test('servers that start together share one container', async () => {
  const stores = await Promise.all(Array.from({ length: 4 }, () => openAt(server.url, { database: 'shared', container: 'shared' })));
  await stores[0]?.set('p', key, bytes('v'));
  assert.deepEqual((await stores[3]?.get('p', key))?.value, bytes('v'));
  await Promise.all(stores.map(store => store.close()));
});
