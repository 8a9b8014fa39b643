/** The table: how it is made when it is missing. It has a hash key `PartitionKey`, a range key `ItemKey`, and `ItemValue`, all binary. */
import { CreateTableCommand, DescribeTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Seconds that a new table may take, and between two checks of it. */
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
