/** The key-value contract on a DynamoDB table. Predicates are the value bytes. */
import { setMaxListeners } from 'node:events';
import { SrvError, absent, checkKey, present, throwIfAborted } from '@srv/kernel';
import { BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { BatchGets } from './batch-gets.js';
import { explain, isConditionFailed } from './errors.js';
import { checkSizes, maxKeyBytes } from './limits.js';
import type { DynamoDBDocumentClient, PutCommandInput, QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Condition, KvEntry, KvStore, KvValue, ScanOptions } from '@srv/kernel';
import type { BatchAnswer, Item, ItemKey } from './batch-gets.js';
import type { Retries } from './retries.js';

interface DynamodbKvStoreOptions {
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

type Send<T> = (options: { abortSignal?: AbortSignal }) => Promise<T>;

export class DynamodbKvStore implements KvStore {
  readonly type = 'dynamodb';
  readonly isShared = true;
  readonly #options: DynamodbKvStoreOptions;
  readonly #running = new Set<Promise<unknown>>();
  readonly #gets: BatchGets;
  #closing: Promise<void> | undefined;

  constructor(options: DynamodbKvStoreOptions) {
    this.#options = options;
    this.#gets = new BatchGets({
      getOne: key => this.#getOne(key),
      getMany: keys => this.#getMany(keys),
    });
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    checkKey(partition, key);
    const wanted = itemKey(partition, key);
    this.#check();
    const found = await (signal ? this.#getOne(wanted, signal) : this.#gets.get(wanted));
    if (found === undefined) return undefined;
    const value = toBuffer(found.ItemValue);
    return { value, predicate: { kvPredicate: value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    const Item = { ...itemKey(partition, key, value), ItemValue: value };
    const request = new PutCommand({ TableName: this.#options.tableName, Item });
    await this.#send(signal, options => this.#options.client.send(request, options));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    checkKey(partition, key, value);
    const Item = { ...itemKey(partition, key, value), ItemValue: value };
    const request = new PutCommand({ TableName: this.#options.tableName, Item, ...expectation(condition) });
    return this.#send(signal, async options => {
      try {
        await this.#options.client.send(request, options);
        return true;
      } catch (error) {
        if (!isConditionFailed(error)) throw error;
        if (!this.#options.retries.mayHaveHappened(error)) return false;
        // An earlier attempt may be the very reason why the condition does not hold any more.
        throw new SrvError('unavailable', `DynamoDB ${this.#options.place}: no answer to a write; it may or may not have happened`, {
          cause: error,
        });
      }
    });
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    const request = new DeleteCommand({ TableName: this.#options.tableName, Key: itemKey(partition, key) });
    await this.#send(signal, options => this.#options.client.send(request, options));
  }

  async *scan(partition: string, { start, batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    const partitionKey = Buffer.from(partition);
    checkSizes(partitionKey, Buffer.alloc(0));
    const query = { TableName: this.#options.tableName, ConsistentRead: true, ...rangeFrom(partitionKey, start) };
    const { scanLimit, client } = this.#options;
    let exclusiveStartKey: Record<string, unknown> | undefined;
    for (let limit = Math.min(batchSize || scanLimit, scanLimit); ; limit = Math.min(2 * limit, scanLimit)) {
      const request = new QueryCommand({ ...query, Limit: limit, ExclusiveStartKey: exclusiveStartKey });
      const { Items: items = [], LastEvaluatedKey: last } = await this.#send(signal, options => client.send(request, options));
      if (items.length > 0) yield items.map(toEntry);
      if (last === undefined) return;
      exclusiveStartKey = last;
    }
  }

  /** Waits for what is under way. */
  close(): Promise<void> {
    this.#closing ??= this.#settled().then(() => this.#options.close());
    return this.#closing;
  }

  async #settled(): Promise<void> {
    await this.#gets.drained();
    await Promise.allSettled(this.#running);
  }

  async #getOne(key: ItemKey, signal?: AbortSignal): Promise<Item | undefined> {
    const request = new GetCommand({ TableName: this.#options.tableName, Key: key, ConsistentRead: true });
    const { Item: found } = await this.#ask(signal, options => this.#options.client.send(request, options));
    return found;
  }

  async #getMany(keys: readonly ItemKey[]): Promise<BatchAnswer> {
    const { client, tableName: name } = this.#options;
    const request = new BatchGetCommand({ RequestItems: { [name]: { Keys: [...keys], ConsistentRead: true } } });
    const { Responses: items = {}, UnprocessedKeys: left = {} } = await this.#ask(undefined, options => client.send(request, options));
    return { items: items[name] ?? [], left: left[name]?.Keys ?? [] };
  }

  #check(): void {
    if (this.#closing) throw new SrvError('closed', 'the key-value store has been closed');
  }

  #send<T>(signal: AbortSignal | undefined, send: Send<T>): Promise<T> {
    this.#check();
    return this.#ask(signal, send);
  }

  /** What has begun before the store is closed is asked to its end. */
  async #ask<T>(signal: AbortSignal | undefined, send: Send<T>): Promise<T> {
    throwIfAborted(signal);
    // One signal may stand for any number of requests at a time.
    if (signal) setMaxListeners(0, signal);
    const answer = send(signal ? { abortSignal: signal } : {});
    this.#running.add(answer);
    try {
      return await answer;
    } catch (error) {
      throwIfAborted(signal);
      throw explain(error, this.#options.place);
    } finally {
      this.#running.delete(answer);
    }
  }
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
  const { kvPredicate: expected } = condition;
  if (!Buffer.isBuffer(expected)) throw new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
  return { ConditionExpression: 'ItemValue = :expected', ExpressionAttributeValues: { ':expected': expected } };
}

type Range = Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues'>;

/** DynamoDB compares with nothing longer than a key: what is longer sorts after its own beginning. */
function rangeFrom(partition: Buffer, start: Buffer | undefined): Range {
  const values = { ':partition': partition };
  if (start === undefined || start.length === 0)
    return { KeyConditionExpression: 'PartitionKey = :partition', ExpressionAttributeValues: values };
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
