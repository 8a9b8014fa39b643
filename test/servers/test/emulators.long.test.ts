/** The emulators of DynamoDB and Cosmos DB come back with their data, and are gone in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCosmosdb } from '../src/cosmosdb.js';
import { startDynamodb } from '../src/dynamodb.js';
import type { TestServer } from '../src/index.js';

interface Emulator {
  readonly start: () => Promise<TestServer>;
  readonly endpoint: string;
  readonly make: (url: string) => Promise<Response>;
  readonly look: (url: string) => Promise<Response>;
}

const dynamodb = (url: string, operation: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization: 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=b',
    },
  });

const emulators: Readonly<Record<string, Emulator>> = {
  DynamoDB: {
    start: startDynamodb,
    endpoint: 'SRV_DATABASE_DYNAMODB_ENDPOINT',
    make: url =>
      dynamodb(url, 'CreateTable', {
        TableName: 'table',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'B' }],
        KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
      }),
    look: url => dynamodb(url, 'DescribeTable', { TableName: 'table' }),
  },
  CosmosDB: {
    start: startCosmosdb,
    endpoint: 'SRV_DATABASE_COSMOSDB_ENDPOINT',
    make: url =>
      fetch(`${url}/dbs`, { method: 'POST', body: JSON.stringify({ id: 'database' }), headers: { 'content-type': 'application/json' } }),
    look: url => fetch(`${url}/dbs/database`),
  },
};

for (const [name, { start, endpoint, make, look }] of Object.entries(emulators)) {
  test(`${name} keeps its data over a crash, on the same address`, async () => {
    const server = await start();
    try {
      assert.equal(server.env[endpoint], server.url);
      assert.equal((await look(server.url)).ok, false);
      assert.equal((await make(server.url)).ok, true);
      await server.stop();
      await assert.rejects(look(server.url));
      await server.start();
      assert.equal((await look(server.url)).ok, true);
    } finally {
      await server.close();
    }
    await assert.rejects(look(server.url));
  });
}
