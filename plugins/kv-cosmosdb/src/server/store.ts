/** What is special about a Cosmos DB container as a key-value store. Predicates are the ETags of the documents. */

import { SrvError, absent, present } from '@srv/kernel';
import { foreignPredicate } from '@srv/lib-stores/kv';
import { decode } from './base32hex.js';
import { documentOf, idOf, partitionKeyOf } from './document.js';
import { explain, isOwnerMissing, ownerMissing, ownerMissingText, statusOf } from './errors.js';
import { scanPages } from './scan.js';
import type { Container } from '@azure/cosmos';
import type { Condition, KvEntry, KvValue } from '@srv/kernel';
import type { DriverScan, KvDriver } from '@srv/lib-stores/kv';
import type { KvDocument } from './document.js';

interface CosmosdbStoreOptions {
  readonly container: Container;
  /** Container and endpoint, for messages. */
  readonly place: string;
  /** Gives up the connections. */
  readonly close: () => void;
}

interface RequestOptions {
  readonly abortSignal?: AbortSignal;
}

/** What says that a condition does not hold: the document is there, is not there, or has changed. */
const conditionFailed = { create: [409], patch: [404], replace: [404, 412] } as const;

export class CosmosdbDriver implements KvDriver {
  readonly type = 'cosmosdb';
  readonly isShared = true;
  /** The SDK looks at the signal only while a request is under way, not while it waits to send it again. */
  readonly abandonsAborted = true;
  readonly #options: CosmosdbStoreOptions;

  constructor(options: CosmosdbStoreOptions) {
    this.#options = options;
  }

  async get(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<KvValue | undefined> {
    const { resource: found, substatus } = await this.#item(partition, key).read<KvDocument>(abortable(signal));
    if (substatus === ownerMissing) throw new SrvError('unavailable', `Cosmos DB ${this.#options.place}: ${ownerMissingText}`);
    return found && { value: decode(found.value), predicate: { kvPredicate: found._etag } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal: AbortSignal | undefined): Promise<void> {
    await this.#items.upsert(documentOf(partition, key, value), abortable(signal));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal: AbortSignal | undefined): Promise<boolean> {
    const document = documentOf(partition, key, value);
    const options = abortable(signal);
    const item = this.#item(partition, key);
    if (condition === absent) return unless(conditionFailed.create, this.#items.create(document, options));
    if (condition === present) {
      const operations = [{ op: 'replace' as const, path: '/value', value: document.value }];
      return unless(conditionFailed.patch, item.patch(operations, options));
    }
    const { kvPredicate: etag } = condition;
    if (typeof etag !== 'string') throw foreignPredicate();
    const accessCondition = { type: 'IfMatch', condition: etag };
    return unless(conditionFailed.replace, item.replace(document, { ...options, accessCondition }));
  }

  async delete(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<void> {
    await unless([404], this.#item(partition, key).delete(abortable(signal)));
  }

  scan(partition: string, { start, batchSize, signal }: DriverScan): AsyncIterable<readonly KvEntry[]> {
    return scanPages({
      container: this.#options.container,
      partitionKey: partitionKeyOf(partition),
      start,
      batchSize,
      options: abortable(signal),
      get: async key => (await this.get(partition, key, signal))?.value,
    });
  }

  explain(error: unknown): SrvError {
    return explain(error, this.#options.place);
  }

  close(): void {
    this.#options.close();
  }

  get #items() {
    return this.#options.container.items;
  }

  #item(partition: string, key: Buffer) {
    return this.#options.container.item(idOf(key), partitionKeyOf(partition));
  }
}

function abortable(signal: AbortSignal | undefined): RequestOptions {
  return signal ? { abortSignal: signal } : {};
}

/** @returns `false` when the service answers with one of the statuses that say no. */
async function unless(no: readonly number[], answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (no.includes(statusOf(error) ?? 0) && !isOwnerMissing(error)) return false;
    throw error;
  }
}
