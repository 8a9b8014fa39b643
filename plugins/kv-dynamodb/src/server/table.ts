/** The table: its shape as dynamodb-toolbox sees it, and how it is made when it is missing. */
import { CreateTableCommand, DescribeTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { Entity, Table, binary, item } from 'dynamodb-toolbox';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type KvTable = ReturnType<typeof tableOf>;

/** One table for everything: hash key `PartitionKey`, range key `ItemKey`, and `ItemValue`, all binary. */
export function tableOf(documentClient: DynamoDBDocumentClient, name: string) {
  const table = new Table({
    documentClient,
    name,
    partitionKey: { name: 'PartitionKey', type: 'binary' },
    sortKey: { name: 'ItemKey', type: 'binary' },
  });
  const entry = new Entity({
    name: 'entry',
    table,
    // An item holds these three attributes and nothing that the library adds.
    entityAttribute: false,
    timestamps: false,
    schema: item({ PartitionKey: binary().key(), ItemKey: binary().key(), ItemValue: binary() }),
  });
  return { table, entry } as const;
}

/** Seconds that a new table may take, and between two looks at it. */
const creation = { maxWaitTime: 30, minDelay: 0.75, maxDelay: 3 };

/** Makes the table when it cannot be described, and waits until it can be used. */
export async function setUpTable(client: DynamoDBClient, name: string): Promise<void> {
  if (await describe(client, name).catch(() => false)) return;
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'PartitionKey', AttributeType: 'B' },
          { AttributeName: 'ItemKey', AttributeType: 'B' },
        ],
        KeySchema: [
          { AttributeName: 'PartitionKey', KeyType: 'HASH' },
          { AttributeName: 'ItemKey', KeyType: 'RANGE' },
        ],
      }),
    );
  } catch (error) {
    // Another server was faster.
    if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error;
  }
  await waitUntilTableExists({ client, ...creation }, { TableName: name });
}

/** Asks for the table. @returns whether it can be used now. */
export async function describe(client: DynamoDBClient, name: string, signal?: AbortSignal): Promise<boolean> {
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: name }), signal ? { abortSignal: signal } : {});
  return table?.TableStatus === 'ACTIVE' || table?.TableStatus === 'UPDATING';
}
