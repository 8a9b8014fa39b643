/** The client libraries of the databases with nothing around them, on the drivers' own tables. */
import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { CosmosClient } from '@azure/cosmos';
import pg from 'pg';

/** All records lie in one partition. */
export interface BareKv {
  put(key: Buffer, value: Buffer): Promise<void>;
  get(key: Buffer): Promise<Buffer | undefined>;
  /** Writes `value` where `expected` stands. */
  replace(key: Buffer, value: Buffer, expected: Buffer): Promise<boolean>;
  /** @returns how many records there are. */
  scan(): Promise<number>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;
const partition = Buffer.from('bare');
const pageSize = 1000;

export function barePostgres(env: Environment, connections: number): BareKv {
  const pool = new pg.Pool({ connectionString: env.SRV_DATABASE_POSTGRES_CONNECTION_STRING, max: connections });
  const here = 'partition_key = $1 AND key = $2';
  const ask = (name: string, text: string, values: unknown[]) => pool.query<Buffer[]>({ name, text, values, rowMode: 'array' });
  return {
    async put(key, value) {
      const text = 'INSERT INTO kv VALUES ($1, $2, $3) ON CONFLICT (partition_key, key) DO UPDATE SET value = EXCLUDED.value';
      await ask('put', text, [partition, key, value]);
    },
    get: async key => (await ask('get', `SELECT value FROM kv WHERE ${here}`, [partition, key])).rows[0]?.[0],
    async replace(key, value, expected) {
      const text = `UPDATE kv SET value = $3 WHERE ${here} AND value = $4`;
      return (await ask('replace', text, [partition, key, value, expected])).rowCount === 1;
    },
    async scan() {
      const text = 'SELECT key, value FROM kv WHERE partition_key = $1 AND key > $2 ORDER BY key LIMIT $3';
      let count = 0;
      for (let last: Buffer | undefined = Buffer.alloc(0); last !== undefined; ) {
        const { rows }: pg.QueryArrayResult<Buffer[]> = await ask('scan', text, [partition, last, pageSize]);
        count += rows.length;
        last = rows.length < pageSize ? undefined : rows.at(-1)?.[0];
      }
      return count;
    },
    close: () => pool.end(),
  };
}

export function bareDynamodb(env: Environment): BareKv {
  const client = new DynamoDBClient({
    endpoint: env.SRV_DATABASE_DYNAMODB_ENDPOINT ?? '',
    region: env.SRV_DATABASE_DYNAMODB_AWS_REGION ?? '',
    credentials: {
      accessKeyId: env.SRV_DATABASE_DYNAMODB_AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.SRV_DATABASE_DYNAMODB_AWS_SECRET_ACCESS_KEY ?? '',
    },
  });
  const TableName = 'kvstore';
  const keyOf = (key: Buffer) => ({ PartitionKey: { B: partition }, ItemKey: { B: key } });
  return {
    async put(key, value) {
      await client.send(new PutItemCommand({ TableName, Item: { ...keyOf(key), ItemValue: { B: value } } }));
    },
    async get(key) {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: true }));
      return Item?.ItemValue?.B && Buffer.from(Item.ItemValue.B);
    },
    async replace(key, value, expected) {
      await client.send(
        new PutItemCommand({
          TableName,
          Item: { ...keyOf(key), ItemValue: { B: value } },
          ConditionExpression: 'ItemValue = :expected',
          ExpressionAttributeValues: { ':expected': { B: expected } },
        }),
      );
      return true;
    },
    async scan() {
      let count = 0;
      for (let from: Record<string, { B: Uint8Array }> | undefined; ; ) {
        const answer = await client.send(
          new QueryCommand({
            TableName,
            ConsistentRead: true,
            Limit: pageSize,
            KeyConditionExpression: 'PartitionKey = :p',
            ExpressionAttributeValues: { ':p': { B: partition } },
            ExclusiveStartKey: from,
          }),
        );
        count += answer.Items?.length ?? 0;
        from = answer.LastEvaluatedKey as typeof from;
        if (!from) return count;
      }
    },
    close: async () => client.destroy(),
  };
}

export function bareCosmosdb(env: Environment): BareKv {
  const client = new CosmosClient({
    endpoint: env.SRV_DATABASE_COSMOSDB_ENDPOINT ?? '',
    key: env.SRV_DATABASE_COSMOSDB_KEY ?? '',
    connectionPolicy: { enableBackgroundEndpointRefreshing: false },
  });
  const container = client.database(env.SRV_DATABASE_COSMOSDB_DATABASE ?? '').container(env.SRV_DATABASE_COSMOSDB_CONTAINER ?? '');
  const partitionKey = partition.toString('hex');
  const etags = new Map<string, string>();
  const document = (key: Buffer, value: Buffer) => ({
    partitionKey,
    id: key.toString('hex'),
    key: key.toString('hex'),
    value: value.toString('hex'),
  });
  return {
    async put(key, value) {
      await container.items.upsert(document(key, value));
    },
    async get(key) {
      const { resource } = await container.item(key.toString('hex'), partitionKey).read<{ value: string; _etag: string }>();
      if (resource) etags.set(key.toString('hex'), resource._etag);
      return resource && Buffer.from(resource.value, 'hex');
    },
    async replace(key, value) {
      const id = key.toString('hex');
      const accessCondition = { type: 'IfMatch', condition: etags.get(id) ?? '' };
      await container.item(id, partitionKey).replace(document(key, value), { accessCondition });
      return true;
    },
    async scan() {
      const query = {
        query: 'select * from c where c.partitionKey = @p order by c.key',
        parameters: [{ name: '@p', value: partitionKey }],
      };
      let count = 0;
      for (const pages = container.items.query(query, { partitionKey, maxItemCount: 500 }); pages.hasMoreResults(); )
        count += (await pages.fetchNext()).resources?.length ?? 0;
      return count;
    },
    close: async () => client.dispose(),
  };
}
