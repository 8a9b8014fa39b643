/** What is special about a DynamoDB table as a key-value store. Predicates are the value bytes. */

import { BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { SrvError, absent, present } from '@srv/kernel';
import { expectedBytes } from '@srv/lib-stores/kv';
import { BatchGets } from './batch-gets.js';
import { explain, isConditionFailed } from './errors.js';
import { checkSizes, maxKeyBytes } from './limits.js';
import type { DynamoDBDocumentClient, PutCommandInput, QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Condition, KvEntry, KvValue } from '@srv/kernel';
import type { DriverScan, KvDriver } from '@srv/lib-stores/kv';
import type { BatchAnswer, Item, ItemKey } from './batch-gets.js';
import type { Retries } from './retries.js';

interface DynamodbStoreOptions {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly retries: Retries;
  /** Table and endpoint or region, for messages. */
  readonly place: string;
  /** Most entries of a page, from 1. */
  readonly scanLimit: number;
  /** Gives up the connections. */
  readonly close: () => void;
}

export class DynamodbDriver implements KvDriver {
  readonly type = 'dynamodb';
  readonly isShared = true;
  readonly #options: DynamodbStoreOptions;
  readonly #gets: BatchGets;

  constructor(options: DynamodbStoreOptions) {
    this.#options = options;
    this.#gets = new BatchGets({
      getOne: key => this.#getOne(key),
      getMany: keys => this.#getMany(keys),
    });
  }

  async get(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<KvValue | undefined> {
    const wanted = itemKey(partition, key);
    const found = await (signal ? this.#getOne(wanted, signal) : this.#gets.get(wanted));
    if (found === undefined) return undefined;
    const value = toBuffer(found.ItemValue);
    return { value, predicate: { kvPredicate: value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal: AbortSignal | undefined): Promise<void> {
    const { client, tableName: TableName } = this.#options;
    const Item = { ...itemKey(partition, key, value), ItemValue: value };
    await client.send(new PutCommand({ TableName, Item }), abortable(signal));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal: AbortSignal | undefined): Promise<boolean> {
    const { client, tableName: TableName, retries, place } = this.#options;
    const Item = { ...itemKey(partition, key, value), ItemValue: value };
    try {
      await client.send(new PutCommand({ TableName, Item, ...expectation(condition) }), abortable(signal));
      return true;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      if (!retries.mayHaveHappened(error)) return false;
      // An earlier attempt may be the very reason why the condition does not hold any more.
      throw new SrvError('unavailable', `DynamoDB ${place}: no answer to a write; it may or may not have happened`, { cause: error });
    }
  }

  async delete(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<void> {
    const { client, tableName: TableName } = this.#options;
    await client.send(new DeleteCommand({ TableName, Key: itemKey(partition, key) }), abortable(signal));
  }

  async *scan(partition: string, { start, batchSize, signal }: DriverScan): AsyncGenerator<readonly KvEntry[]> {
    const partitionKey = Buffer.from(partition);
    checkSizes(partitionKey, Buffer.alloc(0));
    const query = { TableName: this.#options.tableName, ConsistentRead: true, ...rangeFrom(partitionKey, start) };
    const { scanLimit, client } = this.#options;
    let exclusiveStartKey: Record<string, unknown> | undefined;
    for (let limit = Math.min(batchSize ?? scanLimit, scanLimit); ; limit = Math.min(2 * limit, scanLimit)) {
      const request = new QueryCommand({ ...query, Limit: limit, ExclusiveStartKey: exclusiveStartKey });
      const { Items: items = [], LastEvaluatedKey: last } = await client.send(request, abortable(signal));
      if (items.length > 0) yield items.map(toEntry);
      if (last === undefined) return;
      exclusiveStartKey = last;
    }
  }

  explain(error: unknown): SrvError {
    return explain(error, this.#options.place);
  }

  close(): void {
    this.#options.close();
  }

  async #getOne(key: ItemKey, signal?: AbortSignal): Promise<Item | undefined> {
    const { client, tableName: TableName } = this.#options;
    const { Item: found } = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }), abortable(signal));
    return found;
  }

  async #getMany(keys: readonly ItemKey[]): Promise<BatchAnswer> {
    const { client, tableName: name } = this.#options;
    const request = new BatchGetCommand({ RequestItems: { [name]: { Keys: [...keys], ConsistentRead: true } } });
    const { Responses: items = {}, UnprocessedKeys: left = {} } = await client.send(request);
    return { items: items[name] ?? [], left: left[name]?.Keys ?? [] };
  }
}

function abortable(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}

function itemKey(partition: string, key: Buffer, value?: Buffer): ItemKey {
  const found = { PartitionKey: Buffer.from(partition), ItemKey: key };
  checkSizes(found.PartitionKey, key, value);
  return found;
}

type Expectation = Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

function expectation(condition: Condition): Expectation {
  if (condition === absent) return { ConditionExpression: 'attribute_not_exists(ItemValue)' };
  if (condition === present) return { ConditionExpression: 'attribute_exists(ItemValue)' };
  return { ConditionExpression: 'ItemValue = :expected', ExpressionAttributeValues: { ':expected': expectedBytes(condition) } };
}

type Range = Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues'>;

/** DynamoDB compares with nothing longer than a key: what is longer sorts after its own beginning. */
function rangeFrom(partition: Buffer, start: Buffer): Range {
  const values = { ':partition': partition };
  if (start.length === 0) return { KeyConditionExpression: 'PartitionKey = :partition', ExpressionAttributeValues: values };
  const comparison = start.length > maxKeyBytes ? '>' : '>=';
  return {
    KeyConditionExpression: `PartitionKey = :partition AND ItemKey ${comparison} :start`,
    ExpressionAttributeValues: { ...values, ':start': start.subarray(0, maxKeyBytes) },
  };
}

function toEntry(found: Record<string, unknown>): KvEntry {
  return { key: toBuffer(found.ItemKey), value: toBuffer(found.ItemValue) };
}

function toBuffer(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array)) throw new SrvError('corrupt', 'the table holds an item without binary ItemKey or ItemValue');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
